import type { Agent } from 'undici'
import type { Clock } from './clock.ts'
import type { TlsTrust } from './http.ts'
import { checkTrust } from './tls-trust.ts'
import type { WebSockets } from './web-socket.ts'

/** Bytes of one message, unpacked if it came packed. More breaks the connection. */
const defaultMaxBytes = 4 * 1024 * 1024

/** How web sockets connect. */
export interface WebSocketsOptions {
  readonly trust?: TlsTrust
  /** Bytes that one message may have. Default 4 MiB. */
  readonly maxBytes?: number
}

/** Web sockets over real connections. Throws `TrustNotValid` if `options.trust` cannot work. */
export function realWebSockets(options: WebSocketsOptions & { readonly clock: Clock }): WebSockets {
  const trust = checkTrust(options.trust ?? {})
  let agent: Promise<Agent> | undefined
  // Loaded by the first connection, as undici is for HTTP.
  const load = async () => {
    const { undiciAgent } = await import('./undici-agent.ts')
    return undiciAgent({ maxMessageBytes: options.maxBytes ?? defaultMaxBytes }, trust)
  }
  return Object.freeze({
    async connect(request) {
      const { openWebSocket } = await import('./undici-web-socket.ts')
      return await openWebSocket(await (agent ??= load()), request, options.clock)
    },
  } satisfies WebSockets)
}
