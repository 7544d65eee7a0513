import type { FastifyReply } from 'fastify'
import type { Clock } from '../ports/index.ts'

type Outgoing = FastifyReply['raw']

/** A client that takes nothing for so long while there is something for it has gone, whatever its connection says. */
const drainMilliseconds = 30_000
/** So much is sent without waiting for the end of the turn. */
const fullBytes = 256 * 1024

/**
 * Sends pieces as they come, no faster than the client takes them; what meanwhile happens waits in the store, which cuts a watch
 * that falls too far behind. Pieces of one turn of the event loop go out together: when many things change at once, each watcher
 * costs one write for all of them.
 */
export async function streamTo(response: Outgoing, pieces: AsyncIterable<Uint8Array>, gone: AbortSignal, clock: Clock): Promise<void> {
  const outbox = new Outbox(response, gone, clock)
  response.flushHeaders()
  for await (const piece of pieces) {
    if (!(await outbox.put(piece))) break
  }
  await outbox.flush()
  if (gone.aborted) response.destroy()
  else response.end()
}

class Outbox {
  readonly #response: Outgoing
  readonly #gone: AbortSignal
  readonly #clock: Clock
  #pieces: Uint8Array[] = []
  #bytes = 0
  #sending: Promise<boolean> | undefined

  constructor(response: Outgoing, gone: AbortSignal, clock: Clock) {
    this.#response = response
    this.#gone = gone
    this.#clock = clock
  }

  /** Takes a piece. Resolves to whether it makes sense to come with more, and not before there is room for it. */
  async put(piece: Uint8Array): Promise<boolean> {
    if (this.#gone.aborted) return false
    this.#pieces.push(piece)
    this.#bytes += piece.length
    this.#sending ??= this.#send()
    return this.#bytes < fullBytes || this.#sending
  }

  /** Resolves when everything is on its way, or the client is gone. */
  async flush(): Promise<void> {
    await this.#sending
  }

  /** Resolves to false if the client is gone or takes nothing. */
  async #send(): Promise<boolean> {
    try {
      while (this.#pieces.length > 0) {
        await new Promise<void>(resolve => this.#clock.soon(resolve))
        if (!this.#write() && !(await this.#drained())) return false
      }
      return true
    } finally {
      this.#sending = undefined
    }
  }

  /** False if the connection wants to be spared for now. */
  #write(): boolean {
    const pieces = this.#pieces
    this.#pieces = []
    this.#bytes = 0
    if (this.#gone.aborted) return true
    // Not corked: then a full buffer is noticed, but nobody says when it is empty again.
    return this.#response.write(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))
  }

  async #drained(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const drain = () => resolve(true)
    const stop = () => resolve(false)
    const timer = this.#clock.after(drainMilliseconds, () => {
      this.#response.destroy()
      resolve(false)
    })
    this.#response.once('drain', drain)
    this.#gone.addEventListener('abort', stop, { once: true })
    try {
      return await promise
    } finally {
      timer.cancel()
      this.#response.off('drain', drain)
      this.#gone.removeEventListener('abort', stop)
    }
  }
}
