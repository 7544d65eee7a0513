interface Waiter {
  readonly holds: () => boolean
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** Those who wait until something holds. They are asked after every change, so a question should be quick. */
export class Waiters {
  readonly #waiters = new Set<Waiter>()

  /** Resolves when `holds` does, at once if it does now; rejects with the signal's reason. */
  until(holds: () => boolean, signal?: AbortSignal): Promise<void> {
    if (holds()) return Promise.resolve()
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    return new Promise<void>((resolve, reject) => {
      const giveUp = () => waiter.reject(signal?.reason)
      const leave = () => {
        this.#waiters.delete(waiter)
        signal?.removeEventListener('abort', giveUp)
      }
      const waiter: Waiter = {
        holds,
        resolve: () => (leave(), resolve()),
        reject: reason => (leave(), reject(reason)),
      }
      this.#waiters.add(waiter)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  check(): void {
    for (const waiter of this.#waiters) if (waiter.holds()) waiter.resolve()
  }

  rejectAll(reason: unknown): void {
    for (const waiter of this.#waiters) waiter.reject(reason)
  }
}
