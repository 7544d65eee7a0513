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
