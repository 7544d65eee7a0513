import type { Clock, Timer } from '../ports/index.ts'

/** Calls `work` every so many milliseconds, counted from the end of the call before, until the signal is aborted. It must not fail. */
export function periodically(clock: Clock, milliseconds: number, signal: AbortSignal, work: () => void | Promise<void>): void {
  if (signal.aborted) return
  let timer: Timer
  const wait = () => {
    if (!signal.aborted) timer = clock.after(milliseconds, () => void run())
  }
  const run = async () => {
    await work()
    wait()
  }
  wait()
  signal.addEventListener('abort', () => timer.cancel(), { once: true })
}
