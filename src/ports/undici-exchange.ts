import type { Dispatcher } from 'undici'
import { ChunkQueue } from './chunk-queue.ts'
import { RequestNotValid, Unreachable } from './errors.ts'
import { Failure } from './failure.ts'
import type { HttpHead } from './http.ts'
import { codeOf, whyItFailed } from './why-it-failed.ts'

const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
const howToTrust = 'trust its authority (a CA file, or NODE_EXTRA_CA_CERTS), or this one certificate by its SHA-256 thumbprint'

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
    const failure = this.#failureFrom(error)
    this.#head.reject(failure)
    this.chunks.fail(failure)
  }

  /** Does not wait for undici, which tells of an abort only once the request has got a connection. */
  readonly #abort = () => {
    this.#head.reject(this.#signal.reason)
    this.chunks.abort(this.#signal.reason)
    this.#controller?.abort(this.#signal.reason)
  }

  #failureFrom(error: unknown): Failure {
    if (error instanceof Failure) return error
    const code = codeOf(error)
    if (code === 'UND_ERR_INVALID_ARG') {
      return RequestNotValid({ what: whyItFailed(error), fix: 'a header must not hold line breaks or control characters' })
    }
    // Undici's own errors may hold a piece of the answer: only text and code go on.
    const cause = Object.assign(new Error(whyItFailed(error)), code === undefined ? {} : { code })
    const fix = code !== undefined && untrusted.has(code) ? { fix: howToTrust } : {}
    return Unreachable({ target: this.#target, why: cause.message, sent: this.#controller !== undefined, ...fix }, { cause })
  }
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return result
}
