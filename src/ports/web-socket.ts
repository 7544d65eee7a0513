import type { Secret } from './secret.ts'

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
