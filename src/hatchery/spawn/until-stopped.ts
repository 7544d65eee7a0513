import { unlessAborted } from '../../ports/index.ts'

/**
 * The outcome of something that goes on by itself, or the signal's reason as soon as it is aborted. What was begun is not called off:
 * a program that stops leaves its tasks to the platform and finds them again by their records.
 */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return unlessAborted(work, signal)
}
