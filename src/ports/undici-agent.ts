import { Agent } from 'undici'
import type { HttpClientOptions } from './http.ts'
import { connectorFor } from './tls-connector.ts'
import type { CheckedTrust } from './tls-trust.ts'

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
