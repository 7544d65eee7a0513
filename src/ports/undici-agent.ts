import { Agent, buildConnector } from 'undici'
import type { HttpClientOptions } from './http.ts'
import type { CheckedTrust } from './tls-trust.ts'
import { createSecureContext, getCACertificates, TLSSocket } from 'node:tls'

const defaultConnections = 64
const defaultConnectTimeout = 10_000

/** Bytes of response headers; Node's own 16 KiB are too few for some single sign-on answers. */
const maxHeaderSize = 64 * 1024

/** Connections over HTTP/1.1, a pool of them for each origin, without any retry or redirect. */
export function undiciAgent(options: HttpClientOptions & { readonly maxMessageBytes?: number }, trust: CheckedTrust): Agent {
  return new Agent({
    connections: options.connections ?? defaultConnections,
    pipelining: 1,
    connect: connectorFor(trust, options.connectTimeout ?? defaultConnectTimeout),
    allowH2: false,
    maxHeaderSize,
    // The time limits of a call are the caller's, not the connection's.
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(options.maxMessageBytes !== undefined && { webSocket: { maxPayloadSize: options.maxMessageBytes } }),
  })
}

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
