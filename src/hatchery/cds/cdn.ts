import type { Cdn } from './cds.ts'
import { fieldsOf, flagIn, textIn } from './reading.ts'

/** Where the CDN is; undefined if it does not say. */
export function readCdn(value: unknown): Cdn | undefined {
  const cdn = fieldsOf(value)
  const http = textIn(cdn, 'http_url')
  const tcp = textIn(cdn, 'tcp_url')
  return http === '' && tcp === '' ? undefined : { http, tcp, tcpTls: flagIn(cdn, 'tcp_url_enable_tls') }
}
