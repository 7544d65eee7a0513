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
