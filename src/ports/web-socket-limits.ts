import { RequestNotValid } from './errors.ts'
import type { WebSocketRequest } from './web-socket.ts'

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
