import { unlessAborted } from '../../ports/index.ts'

/** Lets those who ask for the same key go one after another, in the order in which they asked. */
export class OneAtATime {
  /** By key: settles when the last who asked is done, and never rejects. */
  readonly #last = new Map<string, Promise<unknown>>()

  /** Does the work when everybody who asked for `key` before is done. Who gives up while others are at it does not wait for them. */
  async run<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const mine = before.then(() => {
      signal.throwIfAborted()
      return work()
    })
    const over = mine.then(
      () => {},
      () => {},
    )
    this.#last.set(key, over)
    void over.then(() => this.#last.get(key) === over && this.#last.delete(key))
    await unlessAborted(before, signal)
    return await mine
  }
}
