import type { Dispatcher } from 'undici'
import { ChunkQueue } from './chunk-queue.ts'
import type { HttpHead } from './http.ts'
import { failureFrom } from './undici-failure.ts'

/** One request and its response, as undici reports on them. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly chunks: ChunkQueue
  readonly #head = Promise.withResolvers<HttpHead>()
  readonly #target: string
  readonly #signal: AbortSignal
  #controller: Dispatcher.DispatchController | undefined

  constructor(target: string, signal: AbortSignal) {
    this.#target = target
    this.#signal = signal
    this.chunks = new ChunkQueue({
      pause: () => this.#controller?.pause(),
      resume: () => this.#controller?.resume(),
      cancel: () => this.#controller?.abort(new Error('the reader went away')),
    })
    signal.addEventListener('abort', this.#abort, { once: true })
  }

  get head(): Promise<HttpHead> {
    return this.#head.promise
  }

  /** The connection is there and the request is about to be written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A request can be aborted while it waits for a connection. To throw here drops it and spares the connection; to abort it would not.
    this.#signal.throwIfAborted()
    this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status >= 200) this.#head.resolve({ status, headers: joined(headers) })
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#signal.removeEventListener('abort', this.#abort)
    this.chunks.finish()
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#signal.removeEventListener('abort', this.#abort)
    const failure = failureFrom(error, this.#target, this.#controller !== undefined)
    this.#head.reject(failure)
    this.chunks.fail(failure)
  }

  /** Does not wait for undici, which tells of an abort only once the request has got a connection. */
  readonly #abort = () => {
    this.#head.reject(this.#signal.reason)
    this.chunks.abort(this.#signal.reason)
    this.#controller?.abort(this.#signal.reason)
  }
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return result
}
