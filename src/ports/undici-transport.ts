import type { Agent } from 'undici'
import { Unreachable } from './errors.ts'
import { gunzip } from './gunzip.ts'
import type { HttpClientOptions, HttpRequest, HttpStream } from './http.ts'
import { parsedUrl, targetOf } from './http-target.ts'
import type { HttpTransport } from './http-transport.ts'
import { Secret } from './secret.ts'
import { checkTrust } from './tls-trust.ts'
import { Exchange } from './undici-exchange.ts'

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
