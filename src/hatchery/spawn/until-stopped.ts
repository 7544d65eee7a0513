/**
 * The outcome of something that goes on by itself, or the signal's reason as soon as it is aborted. What was begun is not called off:
 * a program that stops leaves its tasks to the platform and finds them again by their records.
 */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    const end = () => signal.removeEventListener('abort', stop)
    work.then(resolve, reject).finally(end)
  })
}
