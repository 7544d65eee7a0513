import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The way to a server, which can be closed for a while: nobody listens there then, and all who were inside are thrown out. */
export class FrontDoor implements AsyncDisposable {
  readonly #target: URL
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port = 0

  private constructor(target: string) {
    this.#target = new URL(target)
  }

  static async open(target: string): Promise<FrontDoor> {
    const door = new FrontDoor(target)
    await door.open()
    return door
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Opens it again, at the same place. Nothing to do if it is open. */
  async open(): Promise<void> {
    if (this.#server !== undefined) return
    const server = createServer(socket => this.#pass(socket))
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #pass(socket: Socket): void {
    const onward = connect(Number(this.#target.port), this.#target.hostname)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
}
