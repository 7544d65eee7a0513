import type { Credentials, Headers } from '../api-connection.ts'
import { KubeconfigNotSupported } from './errors.ts'

/** Credentials that never travel in the clear, but to this machine itself. */
export function safeCredentials(given: Omit<Credentials, 'origin'>, origin: string, server: string): Credentials {
  const { protocol, hostname } = new URL(server)
  const clear = protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  const safe = (headers: Headers) => {
    if (!clear || headers['authorization'] === undefined) return headers
    const what = `${server} would get the credentials in the clear`
    throw KubeconfigNotSupported({ where: origin, what, fix: `use https:// for ${hostname}` })
  }
  return {
    origin,
    headers: async () => safe(await given.headers()),
    refused: headers => given.refused(headers),
  }
}
