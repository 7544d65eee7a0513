import { httpClient } from '../../ports/index.ts'
import type { Clock, HttpClient, TlsTrust } from '../../ports/index.ts'

export interface KubeHttpOptions {
  readonly clock: Clock
  /** Connections at most. Each watch holds one. Default 128. */
  readonly connections?: number
  /** Makes a client for one trust; only tests need another than the real one. */
  readonly client?: (trust: TlsTrust) => HttpClient
}

/**
 * A client for an API server whose certificates may be renewed while it is used: connections made from then on use the new ones,
 * requests and watches under way end with the old ones.
 */
export function kubeHttp(access: { trust(): Promise<TlsTrust> }, options: KubeHttpOptions): HttpClient {
  const { clock, connections = 128, client: make = trust => httpClient({ trust, clock, connections }) } = options
  let current: { readonly trust: TlsTrust; readonly client: HttpClient } | undefined
  const client = async () => {
    const trust = await access.trust()
    if (current?.trust === trust) return current.client
    const old = current?.client
    current = { trust, client: make(trust) }
    // Later, because somebody may have got the old one just now and not sent yet.
    if (old !== undefined) clock.after(1000, () => void old.close())
    return current.client
  }
  return {
    send: async request => (await client()).send(request),
    stream: async request => (await client()).stream(request),
    close: async () => current?.client.close(),
  }
}
