import { TLSSocket, createSecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { systemAuthorities } from './system-authorities.ts'
import type { CheckedTrust } from './tls-trust.ts'

type Connector = buildConnector.connector

/** How connections are made: the server proves itself as `trust` demands before anything is sent. */
export function connectorFor(trust: CheckedTrust, connectTimeout: number): Connector {
  const { serverName } = trust
  const base = { timeout: connectTimeout, allowH2: false, ...(serverName !== undefined && { servername: serverName }) }
  const plain = buildConnector(base)
  let secure: Connector | undefined
  return (options, callback) => {
    if (options.protocol !== 'https:') return plain(options, callback)
    // Not before the first secure connection: reading the system's authorities takes a while.
    secure ??= secureConnector(trust, base)
    return secure(options, callback)
  }
}

function secureConnector(trust: CheckedTrust, base: buildConnector.BuildOptions): Connector {
  if (trust.insecure) return unverified(trust, base)
  return trust.thumbprint === undefined ? verified(trust, base) : pinned(trust.thumbprint, trust, base)
}

/** The server's certificate is its name's, and an authority vouches for it. */
function verified({ own, authorities = systemAuthorities() }: CheckedTrust, base: buildConnector.BuildOptions): Connector {
  const secureContext = createSecureContext({ ...own, ca: [...authorities] })
  // Said aloud, because NODE_TLS_REJECT_UNAUTHORIZED=0 in somebody's environment would turn the default around.
  return buildConnector({ ...base, secureContext, rejectUnauthorized: true })
}

/**
 * The chain is not verified, the certificate itself is: the connection is handed over, and so the first byte of a request can
 * be written, only if it has the thumbprint. Sessions are not resumed, so that every connection shows the certificate.
 */
function pinned(thumbprint: string, trust: CheckedTrust, base: buildConnector.BuildOptions): Connector {
  const connect = unverified(trust, base)
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      const seen = socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.fingerprint256 : undefined
      if (seen === thumbprint) return callback(null, socket)
      socket.destroy()
      return callback(new Error(`its certificate has the SHA-256 thumbprint ${seen ?? '(none)'}, expected is ${thumbprint}`), null)
    })
}

/** No certificate is asked for its name or its authority. Sessions are not resumed: one that began unverified never serves again. */
function unverified({ own }: CheckedTrust, base: buildConnector.BuildOptions): Connector {
  return buildConnector({ ...base, secureContext: createSecureContext(own), rejectUnauthorized: false, maxCachedSessions: 0 })
}
