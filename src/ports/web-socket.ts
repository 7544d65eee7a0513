import type { Secret } from './secret.ts'
import { RequestNotValid } from './errors.ts'

/** A connection that is open: messages come in by iteration, which ends when the other side closes and throws when it breaks. */
export interface WebSocketConnection {
  readonly messages: AsyncIterable<string>
  send(text: string): void
  /** Closes it; the iteration ends. */
  close(): void
}

/** What to connect to. */
export interface WebSocketRequest {
  /** `ws:` or `wss:`. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string | Secret>>
  /** Milliseconds until the connection must stand. Default 10,000. */
  readonly timeout?: number
  /** Milliseconds without any message or answer to a ping after which the connection counts as broken. Default 60,000. */
  readonly idleTimeout?: number
  /** Aborted, it ends the attempt or the connection; whoever waits for a message then gets its reason. */
  readonly signal: AbortSignal
}

/**
 * A way to other systems that talk by themselves. Rejects as HttpClient does; a refusal is `Unreachable` that names the status, in
 * its details too. A message that is too large breaks the connection.
 */
export interface WebSockets {
  connect(request: WebSocketRequest): Promise<WebSocketConnection>
}

const fix = 'write wss://HOST:PORT/PATH'

/** What an error may say about a connection: scheme, host and path. Throws `RequestNotValid`. */
export function webSocketTarget(text: string): string {
  const url = URL.parse(text)
  if (url === null) throw RequestNotValid({ what: 'its URL cannot be read', fix })
  if (url.protocol !== 'wss:' && url.protocol !== 'ws:') throw RequestNotValid({ what: `its URL begins with ${url.protocol}`, fix })
  if (url.username !== '' || url.password !== '') {
    throw RequestNotValid({ what: 'its URL holds a user name or password', fix: 'put credentials into the Authorization header' })
  }
  return `${url.protocol}//${url.host}${url.pathname}`
}

/** How long a connection may take to stand. */
export function connectTimeoutOf(request: WebSocketRequest): number {
  return request.timeout ?? 10_000
}

/** How long the other side may be silent. */
export function idleTimeoutOf(request: WebSocketRequest): number {
  return request.idleTimeout ?? 60_000
}
