import { DeadlineExceeded } from '../ports/index.ts'
import type { Io } from './io.ts'

const longestPause = 1_000

/** Asks until the answer is yes, at growing intervals. Resolves to false if it never was within `timeout` milliseconds. */
export async function until(timeout: number, io: Io, isSo: () => Promise<boolean>): Promise<boolean> {
  using deadline = io.clock.deadline(timeout, io.signal)
  try {
    for (let pause = 50; ; pause = Math.min(pause * 2, longestPause)) {
      if (await isSo()) return true
      await io.clock.sleep(pause, deadline.signal)
    }
  } catch (error) {
    if (DeadlineExceeded.is(error) && deadline.signal.aborted) return false
    throw error
  }
}
