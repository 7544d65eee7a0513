import { getCACertificates } from 'node:tls'

let found: readonly string[] | undefined

/**
 * The certificate authorities that this machine trusts: the system's store (which is SSL_CERT_FILE and SSL_CERT_DIR where those
 * are set), or Node's own list on a machine that has no store; and those of NODE_EXTRA_CA_CERTS. Read once, when first needed:
 * it takes tens of milliseconds.
 */
export function systemAuthorities(): readonly string[] {
  found ??= findAuthorities()
  return found
}

function findAuthorities(): readonly string[] {
  const system = getCACertificates('system')
  return [...new Set([...(system.length > 0 ? system : getCACertificates('bundled')), ...getCACertificates('extra')])]
}
