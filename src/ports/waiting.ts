import type { Clock, Deadline } from './clock.ts'
import { DeadlineExceeded } from './errors.ts'

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
