import { StoreError } from '../errors.ts'
import type { Batch } from './batch.ts'

/** As many writes share one commit at most: it amortises the wait for the disk and holds up the program for 3 ms at most. */
const mostInOneFlush = 128
/** Nor more than this much text, give or take one object. */
const mostBytesInOneFlush = 4 * 1024 * 1024

interface Waiting {
  readonly run: (batch: Batch) => unknown
  readonly signal: AbortSignal | undefined
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** What came of one write before its batch was committed. */
type Outcome = { readonly value: unknown } | { readonly error: unknown }

/**
 * Writes wait here for their flush. A flush runs up to 128 of them against one batch, commits the batch, and only then answers:
 * group commit. Writes are run in the order in which they came.
 */
export class WriteQueue {
  readonly #schedule: (flush: () => void) => void
  readonly #begin: () => Batch
  readonly #commit: (batch: Batch) => Promise<void> | void
  #waiting: Waiting[] = []
  /** From when a flush is asked for until it is answered. */
  #busy = false
  #idle: (() => void)[] = []

  constructor(options: {
    /** Calls back when it is time to flush. */
    readonly schedule: (flush: () => void) => void
    readonly begin: () => Batch
    /** Makes a batch durable and shows it to everybody, at once or in time, or fails and does neither. */
    readonly commit: (batch: Batch) => Promise<void> | void
  }) {
    this.#schedule = options.schedule
    this.#begin = options.begin
    this.#commit = options.commit
  }

  /** Runs a write in its turn; resolves to its result when that is durable. */
  add<T>(run: (batch: Batch) => T, signal: AbortSignal | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, signal, resolve, reject })
      this.#wake()
    })
  }

  /** Resolves when nothing is waiting. */
  drained(): Promise<void> {
    return !this.#busy ? Promise.resolve() : new Promise(resolve => this.#idle.push(resolve))
  }

  /** One flush at a time: the next one builds on what this one makes. */
  #wake(): void {
    if (this.#busy) return
    this.#busy = true
    this.#schedule(() => this.#flush())
  }

  #flush(): void {
    const batch = this.#begin()
    const outcomes: Outcome[] = []
    while (outcomes.length < Math.min(mostInOneFlush, this.#waiting.length) && batch.bytes < mostBytesInOneFlush) {
      outcomes.push(attempt(this.#waiting[outcomes.length]!, batch))
    }
    const writes = this.#waiting.slice(0, outcomes.length)
    this.#waiting = this.#waiting.slice(outcomes.length)
    const succeed = () => outcomes.forEach((outcome, at) => answer(writes[at]!, outcome))
    // Also those who were refused are told: what they were refused for may be a change that did not come to be.
    const fail = (error: unknown) => writes.forEach(write => write.reject(error))
    let committing: Promise<void> | void
    try {
      committing = batch.changes.length > 0 ? this.#commit(batch) : undefined
    } catch (error) {
      fail(error)
      return this.#next(() => this.#schedule(() => this.#flush()))
    }
    if (committing === undefined) {
      succeed()
      return this.#next(() => this.#schedule(() => this.#flush()))
    }
    // Answers are heard after the turn in which they are given. The next batch leaves in the same turn, so that the disk works
    // while those who were answered do.
    const goOn = () => this.#next(() => this.#flush())
    committing.then(
      () => {
        succeed()
        goOn()
      },
      (error: unknown) => {
        fail(error)
        goOn()
      },
    )
  }

  #next(flush: () => void): void {
    if (this.#waiting.length > 0) return flush()
    this.#busy = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }
}

function attempt({ run, signal }: Waiting, batch: Batch): Outcome {
  if (signal?.aborted === true) return { error: signal.reason }
  try {
    return { value: run(batch) }
  } catch (error) {
    return { error: error instanceof StoreError ? error : new StoreError('InternalError', 'a write failed unexpectedly', { cause: error }) }
  }
}

function answer(write: Waiting, outcome: Outcome): void {
  if ('error' in outcome) write.reject(outcome.error)
  else write.resolve(outcome.value)
}
