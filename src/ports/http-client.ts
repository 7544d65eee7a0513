import type { Clock } from './clock.ts'
import type { HttpClient, HttpClientOptions } from './http.ts'
import { clientOver } from './http-transport.ts'
import { undiciTransport } from './undici-transport.ts'

/** A client over real sockets. Throws `TrustNotValid` if `options.trust` cannot work. */
export function httpClient(options: HttpClientOptions & { readonly clock: Clock }): HttpClient {
  return clientOver(undiciTransport(options), options.clock)
}
