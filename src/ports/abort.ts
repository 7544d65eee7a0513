import type { Clock, Deadline } from './clock.ts'
import { DeadlineExceeded } from './errors.ts'

/** Resolves when the signal is aborted, at once if it is. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * What comes of some work, or the signal's reason if it is aborted first. The work goes on all the same, because others may wait for it
 * too or nobody could call it off; what becomes of it then is nobody's problem here. Nothing stays behind on a signal that outlives it.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** What waiting needs of a clock: one timer that can be called off. */
type After = Clock['after']

/** `Clock.sleep` in terms of `after`. */
export function sleepBy(after: After, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      timer.cancel()
      reject(signal?.reason)
    }
    const timer = after(milliseconds, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** `Clock.deadline` in terms of `after`. */
export function deadlineBy(after: After, milliseconds: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController()
  if (parent?.aborted) {
    controller.abort(parent.reason)
    return { signal: controller.signal, [Symbol.dispose]: () => {} }
  }
  const release = () => {
    timer.cancel()
    parent?.removeEventListener('abort', followParent)
  }
  const followParent = () => {
    release()
    controller.abort(parent?.reason)
  }
  const timer = after(milliseconds, () => {
    release()
    controller.abort(DeadlineExceeded({ milliseconds }))
  })
  parent?.addEventListener('abort', followParent, { once: true })
  return { signal: controller.signal, [Symbol.dispose]: release }
}
