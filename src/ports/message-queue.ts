import { ResponseTooLarge } from './errors.ts'

/** Characters that may lie here unread; who is that far behind has stopped reading. */
const mostUnread = 16 * 1024 * 1024

/** Messages between the connection that brings them and the one reader who takes them. */
export class MessageQueue implements AsyncIterable<string> {
  readonly #target: string
  readonly #onLeave: () => void
  #messages: string[] = []
  #unread = 0
  #end: { readonly error?: unknown } | undefined
  #waiting: PromiseWithResolvers<void> | undefined

  /** `onLeave` is called when the reader goes away before the end. */
  constructor(target: string, onLeave: () => void) {
    this.#target = target
    this.#onLeave = onLeave
  }

  push(message: string): void {
    if (this.#end !== undefined) return
    this.#unread += message.length
    if (this.#unread > mostUnread) {
      this.abort(ResponseTooLarge({ target: this.#target, maxBytes: mostUnread }))
      this.#onLeave()
      return
    }
    this.#messages.push(message)
    this.#wake()
  }

  /** After the messages that are here comes nothing more. */
  finish(): void {
    this.#end ??= {}
    this.#wake()
  }

  /** After the messages that are here comes this error. */
  fail(error: unknown): void {
    this.#end ??= { error }
    this.#wake()
  }

  /** Nothing more is given out but this error. */
  abort(error: unknown): void {
    this.#messages = []
    this.fail(error)
  }

  [Symbol.asyncIterator](): AsyncIterator<string, undefined> {
    return {
      next: () => this.#next(),
      return: async () => {
        if (this.#end === undefined) {
          this.finish()
          this.#onLeave()
        }
        this.#messages = []
        return { done: true, value: undefined }
      },
    }
  }

  async #next(): Promise<IteratorResult<string, undefined>> {
    for (;;) {
      const message = this.#messages.shift()
      if (message !== undefined) {
        this.#unread -= message.length
        return { done: false, value: message }
      }
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error
        return { done: true, value: undefined }
      }
      this.#waiting ??= Promise.withResolvers()
      await this.#waiting.promise
    }
  }

  #wake(): void {
    this.#waiting?.resolve()
    this.#waiting = undefined
  }
}
