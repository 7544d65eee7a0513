import { type Clock, realClock } from '../../../src/ports/index.ts'

/** The machine's time, but for sleeps: what is left of all of them can be let pass at once. */
export interface HurriedClock extends Clock {
  /** Whoever sleeps now wakes up, and to them the whole time has passed. */
  hurry(): void
}

/** Longer than anybody sleeps in a test. */
const long = 24 * 3_600_000

/** Work in guests then lasts as long as a test wants to look at it, however slow the machine is, and no longer. */
export function hurriedClock(): HurriedClock {
  const real = realClock()
  let passed = 0
  let hurrying = new AbortController()
  return {
    ...real,
    monotonic: () => real.monotonic() + passed,
    async sleep(milliseconds, signal) {
      const { signal: hurried } = hurrying
      const either = signal === undefined ? hurried : AbortSignal.any([hurried, signal])
      await real.sleep(milliseconds, either).catch((error: unknown) => {
        if (!hurried.aborted || signal?.aborted === true) throw error
      })
    },
    hurry() {
      passed += long
      hurrying.abort()
      hurrying = new AbortController()
    },
  }
}
