import { connect, createServer, type Socket } from 'node:net'
import { LoopbackDoor } from '../loopback-door.ts'

/** The way to a server, which can be closed for a while: nobody listens there then, and all who were inside are thrown out. */
export class FrontDoor implements AsyncDisposable {
  readonly #target: URL
  readonly #door = new LoopbackDoor(() => createServer(socket => this.#pass(socket)))

  private constructor(target: string) {
    this.#target = new URL(target)
  }

  static async open(target: string): Promise<FrontDoor> {
    const door = new FrontDoor(target)
    await door.open()
    return door
  }

  get url(): string {
    return `http://127.0.0.1:${this.#door.port}`
  }

  /** Opens it again, at the same place. Nothing to do if it is open. */
  open(): Promise<void> {
    return this.#door.open()
  }

  close(): Promise<void> {
    return this.#door.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Both ends go together, so that throwing out who came in is enough. */
  #pass(socket: Socket): void {
    const onward = connect(Number(this.#target.port), this.#target.hostname)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  }
}
