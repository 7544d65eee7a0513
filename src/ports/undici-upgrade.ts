import type { Duplex } from 'node:stream'
import { type Agent, Dispatcher } from 'undici'

/**
 * The way of one web socket to the server. Undici's own tells neither why a connection failed nor with which status it was
 * refused, so this looks on while the request goes through.
 */
export class Upgrade extends Dispatcher {
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
