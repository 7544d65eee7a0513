import { ResponseTooLarge } from './errors.ts'
import { PieceQueue } from './piece-queue.ts'

/** Characters that may lie here unread; who is that far behind has stopped reading. */
const mostUnread = 16 * 1024 * 1024

/** Messages of a web socket on their way to their reader. */
export class MessageQueue extends PieceQueue<string> {
  readonly #target: string
  readonly #onLeave: () => void

  /** `onLeave` is called when the reader goes away before the end. */
  constructor(target: string, onLeave: () => void) {
    super()
    this.#target = target
    this.#onLeave = onLeave
  }

  push(message: string): void {
    if (this.isOver) return
    if (this.size + message.length <= mostUnread) return this.add(message)
    this.abort(ResponseTooLarge({ target: this.#target, maxBytes: mostUnread }))
    this.#onLeave()
  }

  protected override sizeOf(message: string): number {
    return message.length
  }

  protected override left(): void {
    this.#onLeave()
  }
}
