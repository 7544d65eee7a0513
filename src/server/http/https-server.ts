import { fastify } from 'fastify'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../ports/index.ts'
import { StoreError } from '../../store/index.ts'
import { formatAddress } from '../config/setting.ts'
import type { Address } from '../config/setting.ts'
import { ListenFailed, PortInUse } from '../errors.ts'
import type { CertificatePair } from '../tls/certificate-pair.ts'
import { isEverywhere } from '../tls/server-names.ts'
import { sendRefusal } from './refusal.ts'

/** A web server with a certificate, before it listens. Routes are added to `app`. */
export interface HttpsServer {
  readonly app: FastifyInstance
  /** Shows another certificate to those who connect from now on. */
  replaceCertificate(certificate: CertificatePair): void
  /** Begins to listen. Resolves to its URL. Rejects with `PortInUse` or `ListenFailed`. */
  listen(address: Address): Promise<string>
  /** Takes no more requests, lets those under way end, and cuts off what is left after so many milliseconds. */
  close(options: { readonly within: number }): Promise<void>
}

/** Milliseconds that clients have for the handshake, the head and the whole of a request. Answers may take as long as they like. */
export interface Patience {
  readonly handshake: number
  readonly head: number
  readonly request: number
}

const defaultPatience: Patience = { handshake: 10_000, head: 20_000, request: 60_000 }

/** Makes a web server that speaks TLS only. Clients that dawdle over a request are cut off. */
export function httpsServer(
  { certificate, key }: CertificatePair,
  { clock, patience = defaultPatience }: { readonly clock: Clock; readonly patience?: Patience },
): HttpsServer {
  const app = fastify({
    logger: false,
    requestTimeout: patience.request,
    forceCloseConnections: 'idle',
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    // What no route gets to see, such as a path whose escapes are no text.
    frameworkErrors: (error, _request, reply) => void sendRefusal(reply, new StoreError('BadRequest', error.message)),
    https: {
      cert: certificate,
      key: key.reveal(),
      minVersion: 'TLSv1.2',
      handshakeTimeout: patience.handshake,
      headersTimeout: patience.head,
      requestTimeout: patience.request,
      connectionsCheckingInterval: patience.head / 4,
    },
  })
  return {
    app,
    replaceCertificate: next => app.server.setSecureContext({ cert: next.certificate, key: next.key.reveal(), minVersion: 'TLSv1.2' }),
    listen: async address => {
      try {
        await app.listen({ host: address.host, port: address.port })
      } catch (error) {
        throw listenError(address, error)
      }
      const bound = app.server.address()
      const port = typeof bound === 'object' && bound !== null ? bound.port : address.port
      return `https://${formatAddress({ host: reachableHost(address.host), port })}`
    },
    close: async ({ within }) => {
      const cut = clock.after(within, () => app.server.closeAllConnections())
      await app.close()
      cut.cancel()
    },
  }
}

/** No route has a schema, because kinds check their objects themselves; told so, fastify does not load what would compile one. */
function noSchema(): never {
  throw new Error('routes have no schemas')
}

/** Where this machine itself reaches a server that listens there. */
function reachableHost(host: string): string {
  if (!isEverywhere(host)) return host
  return host === '::' ? '::1' : '127.0.0.1'
}

function listenError(address: Address, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return PortInUse({ address: formatAddress(address) }, { cause: error })
  const why = listenProblems[code ?? ''] ?? message
  return code === undefined ? (error as Error) : ListenFailed({ address: formatAddress(address), why }, { cause: error })
}

const listenProblems: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use that port',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no such host',
}
