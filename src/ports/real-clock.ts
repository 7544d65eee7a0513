import type { Clock, Timer } from './clock.ts'
import { deadlineBy, sleepBy } from './waiting.ts'

/** The longest delay that Node's timers can hold; a larger one would fire at once. */
const longestTimeout = 2 ** 31 - 1

/**
 * The machine's time. `after` and `deadline` do not keep the process alive: what they guard does. `sleep` does, because
 * somebody is waiting for it; a program that wants to end aborts its sleeps.
 */
export function realClock(): Clock {
  const after: Clock['after'] = (milliseconds, callback) => startTimer(milliseconds, callback, false)
  const afterAlive: Clock['after'] = (milliseconds, callback) => startTimer(milliseconds, callback, true)
  return Object.freeze({
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after,
    soon: callback => void setImmediate(callback),
    sleep: (milliseconds, signal) => sleepBy(afterAlive, milliseconds, signal),
    deadline: (milliseconds, parent) => deadlineBy(after, milliseconds, parent),
  } satisfies Clock)
}

function startTimer(milliseconds: number, callback: () => void, keepsAlive: boolean): Timer {
  const due = performance.now() + milliseconds
  let handle: NodeJS.Timeout
  const wait = (remaining: number) => {
    handle = remaining > longestTimeout ? setTimeout(() => wait(due - performance.now()), longestTimeout) : setTimeout(callback, remaining)
    if (!keepsAlive) handle.unref()
  }
  wait(Math.max(0, milliseconds))
  return { cancel: () => clearTimeout(handle) }
}
