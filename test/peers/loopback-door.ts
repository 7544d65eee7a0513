import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A server's place on the loopback, where it can be gone for a while with all who were connected. */
export class LoopbackDoor {
  readonly #make: () => Server
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port = 0

  /** `make` makes the server anew each time that the door is opened. */
  constructor(make: () => Server) {
    this.#make = make
  }

  /** Where it is, or was; 0 before it was opened for the first time. */
  get port(): number {
    return this.#port
  }

  /** Listens, at the same place as before. Nothing to do if it is open. */
  async open(): Promise<void> {
    if (this.#server !== undefined) return
    const server = this.#make()
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('error', () => {})
    })
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  /** Nobody listens any more, and every connection is gone. */
  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = once(server, 'close')
    server.close()
    this.cutAll()
    await closed
  }

  /** Cuts every connection there is. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }
}
