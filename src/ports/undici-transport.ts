import type { Agent, Dispatcher } from 'undici'
import { RequestNotValid, Unreachable } from './errors.ts'
import { gunzip, type HttpTransport } from './http-transport.ts'
import { type HttpClientOptions, type HttpHead, type HttpRequest, type HttpStream, parsedUrl, targetOf } from './http.ts'
import { Secret } from './secret.ts'
import { checkTrust } from './tls-trust.ts'
import { ChunkQueue } from './async-queue.ts'
import { Failure } from './failure.ts'
import { codeOf, whyItFailed } from './text.ts'

/** The way over real sockets. Throws `TrustNotValid`. */
export function undiciTransport(options: HttpClientOptions): HttpTransport {
  const trust = checkTrust(options.trust ?? {})
  let agent: Promise<Agent> | undefined
  let closed: Promise<void> | undefined
  // Undici is loaded by the first request: a command that sends none starts faster without it.
  const load = async () => (await import('./undici-agent.ts')).undiciAgent(options, trust)
  return {
    async start(request, signal) {
      const target = targetOf(request)
      signal.throwIfAborted()
      if (closed !== undefined) throw Unreachable({ target, why: 'this client is closed', sent: false })
      return await start(await (agent ??= load()), request, signal)
    },
    close: () => (closed ??= (async () => (await agent)?.close())()),
  }
}

async function start(agent: Agent, request: HttpRequest, signal: AbortSignal): Promise<HttpStream> {
  const { origin, pathname, search } = parsedUrl(request)
  signal.throwIfAborted()
  const exchange = new Exchange(targetOf(request), signal)
  const headers = revealed(request.headers ?? {})
  const call = { origin, path: pathname + search, method: request.method, headers, body: request.body ?? null }
  try {
    agent.dispatch(call, exchange)
  } catch (error) {
    exchange.onResponseError(undefined, error)
  }
  const head = await exchange.head
  const decodes = asksForGzip(headers) && mayHaveBody(request, head.status) && /^(x-)?gzip$/i.test(head.headers['content-encoding'] ?? '')
  if (!decodes) return { ...head, chunks: exchange.chunks }
  const { 'content-encoding': _encoding, 'content-length': _length, ...rest } = head.headers
  return { status: head.status, headers: rest, chunks: gunzip(exchange.chunks, targetOf(request)) }
}

/** Where secrets leave their wrapping: on the way into the connection, and nowhere before. */
function revealed(headers: NonNullable<HttpRequest['headers']>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value instanceof Secret ? value.reveal() : value]))
}

/** Some servers say `content-encoding: gzip` of nothing too, which is no gzip. */
function mayHaveBody({ method }: HttpRequest, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304
}

function asksForGzip(headers: Readonly<Record<string, string>>): boolean {
  return Object.entries(headers).some(([name, value]) => name.toLowerCase() === 'accept-encoding' && /\bgzip\b/i.test(value))
}

/** One request and its response, as undici reports on them. */
class Exchange implements Dispatcher.DispatchHandler {
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

const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
const howToTrust = 'trust its authority (a CA file, or NODE_EXTRA_CA_CERTS), or this one certificate by its SHA-256 thumbprint'

/** What undici's error means to whoever asked. `sent` is whether the request may have reached `target`. */
export function failureFrom(error: unknown, target: string, sent: boolean): Failure {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_INVALID_ARG') {
    return RequestNotValid({ what: whyItFailed(error), fix: 'a header must not hold line breaks or control characters' })
  }
  // Undici's own errors may hold a piece of the answer: only text and code go on.
  const cause = Object.assign(new Error(whyItFailed(error)), code === undefined ? {} : { code })
  const fix = code !== undefined && untrusted.has(code) ? { fix: howToTrust } : {}
  return Unreachable({ target, why: cause.message, sent, ...fix }, { cause })
}
