import type { Clock, Timer } from './clock.ts'
import { Unreachable } from './errors.ts'
import { MessageQueue } from './async-queue.ts'
import { Secret } from './secret.ts'
import type { ServedRequest, ServedResponse } from './simulated-http.ts'
import {
  connectTimeoutOf,
  idleTimeoutOf,
  type WebSocketConnection,
  type WebSocketRequest,
  type WebSockets,
  webSocketTarget,
} from './web-socket.ts'

/** The server's end of a connection. */
export interface ServedWebSocket {
  /** What the client says. Ends when it closes, throws `Unreachable` when the connection breaks. */
  readonly messages: AsyncIterable<string>
  /** Does nothing once the connection is over. */
  send(text: string): void
  /** Says goodbye: the client's messages end. */
  close(): void
  /** Breaks off without goodbye: the client's messages throw. */
  breakOff(): void
  /** From now on nothing passes in either direction, pings are not answered, and neither side is told. */
  fallSilent(): void
  /** Aborted as soon as the connection is over, whoever ended it. */
  readonly over: AbortSignal
}

/**
 * The server side of web sockets as a function. It is asked at every upgrade (a GET without a body). Whoever returns a response
 * refuses with it, and the socket is never used; whoever returns nothing accepts, and what was sent meanwhile goes out then. To
 * behave like a server that cannot be reached it rejects with `Unreachable`; to hang, it does not resolve.
 */
export type WebSocketHandler = (
  request: ServedRequest,
  socket: ServedWebSocket,
) => ServedResponse | undefined | Promise<ServedResponse | undefined>

/** Web sockets that never leave the process: `handler` is the other side. Time limits are those of the real ones. */
export function simulatedWebSockets(handler: WebSocketHandler, { clock }: { readonly clock: Clock }): WebSockets {
  return Object.freeze({ connect: request => connect(handler, request, clock) } satisfies WebSockets)
}

async function connect(handler: WebSocketHandler, request: WebSocketRequest, clock: Clock): Promise<WebSocketConnection> {
  const target = webSocketTarget(request.url)
  request.signal.throwIfAborted()
  using deadline = clock.deadline(connectTimeoutOf(request), request.signal)
  const line = new Line(target, request, clock)
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(deadline.signal.reason)
  deadline.signal.addEventListener('abort', stop, { once: true })
  try {
    // Called later, as a socket would: whoever connects goes on before the other side hears of it.
    const asked = Promise.resolve().then(() => handler(servedUpgrade(request, deadline.signal), line.server))
    const refusal = await Promise.race([asked, stopped.promise])
    if (refusal === undefined) return line.opened()
    throw Unreachable({ target, why: `it refused the web socket with status ${refusal.status}`, sent: true, status: refusal.status })
  } catch (error) {
    line.cut(error, error)
    throw error
  } finally {
    deadline.signal.removeEventListener('abort', stop)
  }
}

function servedUpgrade(request: WebSocketRequest, signal: AbortSignal): ServedRequest {
  const headers: Record<string, string> = { connection: 'Upgrade', upgrade: 'websocket' }
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    headers[name.toLowerCase()] = value instanceof Secret ? value.reveal() : value
  }
  const url = new URL(request.url.replace(/^ws/, 'http'))
  return { method: 'GET', url, headers, body: new Uint8Array(), text: () => '', signal }
}

/** What lies between the two ends: two queues, and what can go wrong with them. */
class Line {
  readonly server: ServedWebSocket
  readonly #toClient: MessageQueue
  readonly #toServer: MessageQueue
  readonly #over = new AbortController()
  readonly #request: WebSocketRequest
  readonly #target: string
  readonly #clock: Clock
  #silent = false
  #silence: Timer | undefined

  constructor(target: string, request: WebSocketRequest, clock: Clock) {
    this.#target = target
    this.#request = request
    this.#clock = clock
    this.#toClient = new MessageQueue(target, () => this.#close())
    this.#toServer = new MessageQueue(target, () => this.#close())
    this.server = {
      messages: this.#toServer,
      send: text => this.#pass(text, this.#toClient),
      close: () => this.#close(),
      breakOff: () => {
        const error = this.#broken('the connection broke')
        this.cut(error, error)
      },
      fallSilent: () => this.#fallSilent(),
      over: this.#over.signal,
    }
    request.signal.addEventListener('abort', this.#followCaller, { once: true })
  }

  /** The client's end, from the moment at which the server has accepted. */
  opened(): WebSocketConnection {
    return Object.freeze({
      messages: this.#toClient,
      send: text => this.#pass(text, this.#toServer),
      close: () => this.#close(),
    } satisfies WebSocketConnection)
  }

  /** The end, with what each side is told of it. */
  cut(toClient: unknown, toServer: unknown): void {
    this.#toClient.abort(toClient)
    this.#toServer.abort(toServer)
    this.#ended()
  }

  readonly #followCaller = () => this.cut(this.#request.signal.reason, this.#broken('the client went away'))

  #pass(text: string, queue: MessageQueue): void {
    if (!this.#silent && !this.#over.signal.aborted) queue.push(text)
  }

  #close(): void {
    this.#toClient.finish()
    this.#toServer.finish()
    this.#ended()
  }

  #fallSilent(): void {
    if (this.#silent || this.#over.signal.aborted) return
    this.#silent = true
    const limit = idleTimeoutOf(this.#request)
    const error = this.#broken(`nothing came for ${limit} ms`)
    this.#silence = this.#clock.after(limit, () => this.cut(error, error))
  }

  #broken(why: string): Error {
    return Unreachable({ target: this.#target, why, sent: true })
  }

  #ended(): void {
    this.#silence?.cancel()
    this.#request.signal.removeEventListener('abort', this.#followCaller)
    this.#over.abort()
  }
}
