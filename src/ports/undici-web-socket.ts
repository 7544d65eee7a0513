import { type Agent, Dispatcher, ping, WebSocket } from 'undici'
import type { Clock, Timer } from './clock.ts'
import { RequestNotValid, Unreachable } from './errors.ts'
import { MessageQueue } from './async-queue.ts'
import { Secret } from './secret.ts'
import { failureFrom } from './undici-transport.ts'
import { connectTimeoutOf, idleTimeoutOf, type WebSocketConnection, type WebSocketRequest, webSocketTarget } from './web-socket.ts'
import { whyItFailed } from './text.ts'
import type { Duplex } from 'node:stream'

/** How often the other side is asked for a sign of life while it may be silent. */
const pingsPerSilence = 3

/** Milliseconds that the other side has to say goodbye too, before the connection is dropped. */
const goodbye = 2_000

/** Connects, and resolves when the connection stands. */
export async function openWebSocket(agent: Agent, request: WebSocketRequest, clock: Clock): Promise<WebSocketConnection> {
  const target = webSocketTarget(request.url)
  using deadline = clock.deadline(connectTimeoutOf(request), request.signal)
  deadline.signal.throwIfAborted()
  const upgrade = new Upgrade(agent)
  const socket = begin(upgrade, request)
  const opened = Promise.withResolvers<void>()
  const stop = () => {
    opened.reject(deadline.signal.reason)
    socket.close()
  }
  deadline.signal.addEventListener('abort', stop, { once: true })
  socket.addEventListener('open', () => opened.resolve())
  socket.addEventListener('close', () => opened.reject(refusal(upgrade, target)))
  // Its event says less than the upgrade knows.
  socket.addEventListener('error', () => opened.reject(refusal(upgrade, target)))
  const connection = new OpenWebSocket(socket, upgrade, target, request, clock)
  try {
    await opened.promise
    return connection.start()
  } finally {
    deadline.signal.removeEventListener('abort', stop)
  }
}

function begin(upgrade: Upgrade, request: WebSocketRequest): WebSocket {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers ?? {})) headers[name] = value instanceof Secret ? value.reveal() : value
  try {
    return new WebSocket(request.url, { dispatcher: upgrade, headers })
  } catch {
    // Without a cause: undici repeats the value of a header that it does not like.
    throw RequestNotValid({ what: 'a header is not valid', fix: 'a header must not hold line breaks or control characters' })
  }
}

function refusal(upgrade: Upgrade, target: string): Error {
  const { status, error, sent } = upgrade
  if (status === 101) return Unreachable({ target, why: 'it does not speak the web socket protocol', sent })
  if (status !== undefined) return Unreachable({ target, why: `it refused the web socket with status ${status}`, sent, status })
  return failureFrom(error ?? new Error('the connection failed'), target, sent)
}

/** A connection from the moment at which it stands; listens before, so that nothing that comes at once is missed. */
class OpenWebSocket {
  readonly #socket: WebSocket
  readonly #upgrade: Upgrade
  readonly #target: string
  readonly #request: WebSocketRequest
  readonly #clock: Clock
  readonly #messages: MessageQueue
  #pinging: Timer | undefined
  #lastSign = 0
  #over = false

  constructor(socket: WebSocket, upgrade: Upgrade, target: string, request: WebSocketRequest, clock: Clock) {
    this.#socket = socket
    this.#upgrade = upgrade
    this.#target = target
    this.#request = request
    this.#clock = clock
    this.#messages = new MessageQueue(target, () => this.#close())
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }) => this.#messages.push(typeof data === 'string' ? data : new TextDecoder().decode(data)))
    socket.addEventListener('close', ({ wasClean, code }) => this.#closed(wasClean, code))
  }

  start(): WebSocketConnection {
    const { signal } = this.#request
    if (signal.aborted) {
      this.#followCaller()
      throw signal.reason
    }
    signal.addEventListener('abort', this.#followCaller, { once: true })
    this.#lastSign = this.#clock.monotonic()
    this.#upgrade.socket?.on('data', () => (this.#lastSign = this.#clock.monotonic()))
    this.#watchSilence()
    return Object.freeze({
      messages: this.#messages,
      send: text => {
        if (!this.#over) this.#socket.send(text)
      },
      close: () => {
        this.#messages.finish()
        this.#close()
      },
    } satisfies WebSocketConnection)
  }

  readonly #followCaller = () => {
    this.#messages.abort(this.#request.signal.reason)
    this.#close()
  }

  #watchSilence(): void {
    if (this.#over) return
    const limit = idleTimeoutOf(this.#request)
    this.#pinging = this.#clock.after(limit / pingsPerSilence, () => {
      if (this.#clock.monotonic() - this.#lastSign >= limit) {
        this.#messages.fail(this.#broken(`nothing came for ${limit} ms`))
        this.#end()
        this.#upgrade.socket?.destroy()
        return
      }
      ping(this.#socket)
      this.#watchSilence()
    })
  }

  #closed(wasClean: boolean, code: number): void {
    if (wasClean) this.#messages.finish()
    else this.#messages.fail(this.#broken(code === 1006 ? 'the connection broke' : whyItFailed(new Error(`closed with code ${code}`))))
    this.#end()
  }

  #close(): void {
    if (this.#over) return
    this.#end()
    this.#socket.close()
    this.#clock.after(goodbye, () => this.#upgrade.socket?.destroy())
  }

  #broken(why: string): Error {
    return Unreachable({ target: this.#target, why, sent: true })
  }

  #end(): void {
    this.#over = true
    this.#pinging?.cancel()
    this.#request.signal.removeEventListener('abort', this.#followCaller)
  }
}

/**
 * The way of one web socket to the server. Undici's own tells neither why a connection failed nor with which status it was
 * refused, so this looks on while the request goes through.
 */
class Upgrade extends Dispatcher {
  readonly #agent: Agent
  /** With which status the server answered; 101 is a web socket. */
  status: number | undefined
  /** Why there was no answer. */
  error: unknown
  /** Whether a connection was there and the request may have arrived. */
  sent = false
  socket: Duplex | undefined

  constructor(agent: Agent) {
    super()
    this.#agent = agent
  }

  /** Read by undici's web socket: how large a message may be. */
  get webSocketOptions(): unknown {
    return (this.#agent as Agent & { readonly webSocketOptions: unknown }).webSocketOptions
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return this.#agent.dispatch(options, {
      onRequestStart: (controller, context) => {
        this.sent = true
        handler.onRequestStart?.(controller, context)
      },
      onRequestUpgrade: (controller, status, headers, socket) => {
        this.status = status
        this.socket = socket
        return handler.onRequestUpgrade?.(controller, status, headers, socket)
      },
      onResponseStart: (controller, status, headers, statusMessage) => {
        this.status = status
        handler.onResponseStart?.(controller, status, headers, statusMessage)
      },
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => {
        this.error ??= error
        handler.onResponseError?.(controller, error)
      },
      onResponseStarted: () => handler.onResponseStarted?.(),
    })
  }
}
