import type { Clock } from './clock.ts'
import { type HttpClient, type HttpRequest, type HttpStream, parsedUrl } from './http.ts'
import { clientOver } from './http-transport.ts'
import { Secret } from './secret.ts'
import { unlessAborted } from './abort.ts'

/** A request as a server gets to see it. */
export interface ServedRequest {
  readonly method: HttpRequest['method']
  readonly url: URL
  /** Lower-case names, secrets revealed. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body as UTF-8. */
  readonly text: () => string
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
}

/** What a server answers. */
export interface ServedResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Whole, or piece by piece. */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>
}

/**
 * A server as a function. To behave like one that cannot be reached, or whose reply gets lost after the effect, it rejects with
 * `Unreachable`; to hang, it does not resolve.
 */
export type HttpHandler = (request: ServedRequest) => ServedResponse | Promise<ServedResponse>

/** A client whose requests never leave the process: `handler` answers them. Time and size limits are those of the real one. */
export function simulatedHttp(handler: HttpHandler, { clock }: { readonly clock: Clock }): HttpClient {
  return clientOver({ start: (request, signal) => serve(handler, request, signal), close: async () => {} }, clock)
}

async function serve(handler: HttpHandler, request: HttpRequest, signal: AbortSignal): Promise<HttpStream> {
  const served = servedRequest(request, signal)
  signal.throwIfAborted()
  // Called later, as a socket would: whoever sends a request goes on before it is answered.
  const answering = Promise.resolve().then(() => handler(served))
  const { status, headers = {}, body } = await unlessAborted(answering, signal)
  const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { status, headers: lowerCase, chunks: chunksOf(request.method === 'HEAD' ? undefined : body, signal) }
}

function servedRequest(request: HttpRequest, signal: AbortSignal): ServedRequest {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    headers[name.toLowerCase()] = value instanceof Secret ? value.reveal() : value
  }
  const body = bytesOf(request.body ?? '')
  return { method: request.method, url: parsedUrl(request), headers, body, text: () => new TextDecoder().decode(body), signal }
}

async function* chunksOf(body: ServedResponse['body'], signal: AbortSignal): AsyncGenerator<Uint8Array, undefined> {
  if (body === undefined || body === '') return
  if (typeof body === 'string' || body instanceof Uint8Array) return yield bytesOf(body)
  const source = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await unlessAborted(source.next(), signal)
      if (next.done) return
      yield bytesOf(next.value)
    }
  } finally {
    // Not awaited: a source that hangs in its own `next` would never answer.
    source.return?.().catch(() => {})
  }
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : content
}
