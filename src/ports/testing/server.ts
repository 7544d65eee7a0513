import { type RequestListener, createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, type Server, type Socket, createServer as createRawServer } from 'node:net'
import type { TlsOptions } from 'node:tls'

/** A server on a free port of 127.0.0.1. Disposing of it ends it and its connections. */
export interface TestServer extends AsyncDisposable {
  readonly port: number
  /** How many connections were made to it so far. */
  connections(): number
}

export function httpServer(listener: RequestListener): Promise<TestServer> {
  return listen(createServer(listener))
}

export function httpsServer(options: TlsOptions, listener: RequestListener): Promise<TestServer> {
  return listen(createSecureServer(options, listener))
}

/** A server that does with a connection what it likes. */
export function rawServer(onConnection: (socket: Socket) => void): Promise<TestServer> {
  return listen(createRawServer(onConnection))
}

async function listen(server: Server): Promise<TestServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    [Symbol.asyncDispose]: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
