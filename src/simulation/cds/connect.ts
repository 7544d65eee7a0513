import {
  type Clock,
  type HttpClient,
  simulatedHttp,
  simulatedWebSockets,
  type WebSocketConnection,
  type WebSockets,
} from '../../ports/index.ts'
import type { SimulatedCds } from './simulated-cds.ts'

/** One program's ways to a simulated CDS. */
export interface CdsConnection {
  readonly http: HttpClient
  readonly webSockets: WebSockets
  /** The program is gone: what it sent still arrives, and no answer ever comes back. */
  crash(): void
}

/** Connects a program to a simulated CDS inside this process. */
export function connectToCds(cds: SimulatedCds, clock: Clock): CdsConnection {
  const http = simulatedHttp(cds.handler, { clock })
  const webSockets = simulatedWebSockets(cds.webSocketHandler, { clock })
  const sockets = new Set<WebSocketConnection>()
  let crashed = false
  const unlessCrashed = <T>(work: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      work.then(
        result => (crashed ? undefined : resolve(result)),
        error => (crashed ? undefined : reject(error)),
      )
    })
  const kept = (connection: WebSocketConnection): WebSocketConnection => {
    sockets.add(connection)
    return {
      messages: {
        [Symbol.asyncIterator]: () => {
          const source = connection.messages[Symbol.asyncIterator]()
          return {
            next: () => unlessCrashed(source.next()),
            return: async () => (await source.return?.()) ?? { done: true, value: undefined },
          }
        },
      },
      send: text => connection.send(text),
      close: () => connection.close(),
    }
  }
  return Object.freeze({
    http: {
      send: request => unlessCrashed(crashed ? never() : http.send(request)),
      stream: request => unlessCrashed(crashed ? never() : http.stream(request)),
      close: () => http.close(),
    } satisfies HttpClient,
    webSockets: {
      connect: async request => kept(await unlessCrashed(crashed ? never() : webSockets.connect(request))),
    } satisfies WebSockets,
    crash() {
      crashed = true
      for (const socket of sockets) socket.close()
    },
  })
}

function never(): Promise<never> {
  return new Promise(() => {})
}
