import { deadlineBy, sleepBy } from './abort.ts'

/** A pending call that can still be called off. */
export interface Timer {
  /** Calls it off. Does nothing when it already ran. */
  cancel(): void
}

/**
 * Where time comes from. The real one follows the machine; the virtual one moves only when it is told to, and runs what is due
 * in the order of due time, then of request, so that a run repeats itself exactly.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970, for what people and other systems read. It may jump. */
  now(): number
  /** Milliseconds that never go backwards, for measuring how long something took and when a lease ends. */
  monotonic(): number
  /**
   * Calls `callback` once, `milliseconds` from now. Negative counts as zero. A real timer does not keep the process alive; a
   * real `sleep` does.
   */
  after(milliseconds: number, callback: () => void): Timer
  /**
   * Calls `callback` as soon as the events that are already waiting have had their turn. On the virtual clock no time passes
   * until then.
   */
  soon(callback: () => void): void
  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /**
   * A signal that is aborted with `DeadlineExceeded` after `milliseconds`, or with the parent's reason when the parent is.
   * Dispose of it when the work is done, so that neither the timer nor the listener on the parent stays behind.
   */
  deadline(milliseconds: number, parent?: AbortSignal): Deadline
}

/** A time limit in the form that every call of this program takes: an AbortSignal. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
}

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
