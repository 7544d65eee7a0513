import type { Clock, Timer } from './clock.ts'
import { DeadlineExceeded, ResponseTooLarge, Unreachable } from './errors.ts'
import { type HttpClient, type HttpClientOptions, type HttpRequest, type HttpResponse, type HttpStream, targetOf } from './http.ts'
import { undiciTransport } from './undici-transport.ts'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Failure } from './failure.ts'
import { codeOf } from './text.ts'

const defaultTimeout = 30_000
const defaultMaxBytes = 64 * 1024 * 1024

/**
 * The bare way to the other side: sends one request and resolves when the response's head is there. It knows neither time
 * limits nor size limits. Once `signal` is aborted it rejects with the signal's reason, at any stage, and lets go of the connection.
 */
export interface HttpTransport {
  start(request: HttpRequest, signal: AbortSignal): Promise<HttpStream>
  close(): Promise<void>
}

/** The client that a transport makes: it adds the limits, so that every transport keeps them alike. */
export function clientOver(transport: HttpTransport, clock: Clock): HttpClient {
  return Object.freeze({
    async send(request) {
      using limits = new Limits(request, clock, request.maxBytes ?? defaultMaxBytes)
      const { status, headers, chunks } = await transport.start(request, limits.signal)
      const parts: Uint8Array[] = []
      for await (const chunk of limits.measured(chunks, headers['content-length'])) parts.push(chunk)
      return response(status, headers, parts)
    },
    async stream(request) {
      const limits = new Limits(request, clock, request.maxBytes)
      try {
        const { status, headers, chunks } = await transport.start(request, limits.signal)
        limits.headArrived()
        return { status, headers, chunks: limits.measured(chunks, headers['content-length']) }
      } catch (error) {
        limits[Symbol.dispose]()
        throw error
      }
    },
    close: () => transport.close(),
  } satisfies HttpClient)
}

function response(status: number, headers: HttpResponse['headers'], parts: readonly Uint8Array[]): HttpResponse {
  const body = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)
  return { status, headers, body, text: () => new TextDecoder().decode(body) }
}

/** The limits of one call: its deadline, its silence, its size, and the caller's wish to stop, all as one signal. */
class Limits implements Disposable {
  readonly #request: HttpRequest
  readonly #clock: Clock
  readonly #maxBytes: number | undefined
  readonly #stop = new AbortController()
  #timer: Timer | undefined

  constructor(request: HttpRequest, clock: Clock, maxBytes: number | undefined) {
    this.#request = request
    this.#clock = clock
    this.#maxBytes = maxBytes
    const milliseconds = request.timeout ?? defaultTimeout
    if (request.signal?.aborted) this.#stop.abort(request.signal.reason)
    request.signal?.addEventListener('abort', this.#followCaller, { once: true })
    this.#timer = clock.after(milliseconds, () => this.#stop.abort(DeadlineExceeded({ milliseconds })))
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** From here on only silence counts. */
  headArrived(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** The pieces as they come, until they are too many or too slow. Asking for no more ends the call. */
  measured(chunks: AsyncIterable<Uint8Array>, contentLength: string | undefined): AsyncIterableIterator<Uint8Array> {
    const source = chunks[Symbol.asyncIterator]()
    const announced = this.#request.method === 'HEAD' ? 0 : Number(contentLength ?? 0)
    let bytes = 0
    const end = async () => {
      this[Symbol.dispose]()
      await source.return?.()
    }
    const refuseTooMuch = (count: number) => {
      if (this.#maxBytes !== undefined && count > this.#maxBytes) {
        throw ResponseTooLarge({ target: targetOf(this.#request), maxBytes: this.#maxBytes })
      }
    }
    const iterator: AsyncIterableIterator<Uint8Array> = {
      next: async () => {
        try {
          refuseTooMuch(announced)
          const result = await this.#unlessSilent(() => source.next())
          if (result.done) this[Symbol.dispose]()
          else refuseTooMuch((bytes += result.value.byteLength))
          return result
        } catch (error) {
          await end()
          throw error
        }
      },
      return: async () => {
        await end()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }

  /** The time for which the reader itself does not ask is not silence of the other side. */
  async #unlessSilent<T>(next: () => Promise<T>): Promise<T> {
    const { idleTimeout } = this.#request
    if (idleTimeout === undefined) return await next()
    const silence = this.#clock.after(idleTimeout, () =>
      this.#stop.abort(Unreachable({ target: targetOf(this.#request), why: `nothing came for ${idleTimeout} ms`, sent: true })),
    )
    try {
      return await next()
    } finally {
      silence.cancel()
    }
  }

  readonly #followCaller = () => this.#stop.abort(this.#request.signal?.reason);

  [Symbol.dispose](): void {
    this.#timer?.cancel()
    this.#request.signal?.removeEventListener('abort', this.#followCaller)
  }
}

/** A client over real sockets. Throws `TrustNotValid` if `options.trust` cannot work. */
export function httpClient(options: HttpClientOptions & { readonly clock: Clock }): HttpClient {
  return clientOver(undiciTransport(options), options.clock)
}

/** Unpacks a body while it arrives, no faster than it is read. Ending the iteration early ends the source's. */
export function gunzip(chunks: AsyncIterable<Uint8Array>, target: string): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const unpacked = createGunzip()
      // Errors of either side reach the reader through `unpacked`.
      pipeline(Readable.from(chunks), unpacked, () => {})
      const source: AsyncIterator<Uint8Array, undefined> = unpacked[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            return await source.next()
          } catch (error) {
            throw isDamage(error) ? Unreachable({ target, why: 'the compressed body is damaged or cut short', sent: true }) : error
          }
        },
        async return() {
          unpacked.destroy()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

function isDamage(error: unknown): boolean {
  return !(error instanceof Failure) && codeOf(error)?.startsWith('Z_') === true
}
