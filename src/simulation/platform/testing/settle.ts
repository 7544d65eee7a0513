import type { VirtualClock } from '../../../ports/index.ts'

/** Waits for a promise and moves virtual time on meanwhile, by steps of so many milliseconds, an hour at most. */
export async function settle<T>(clock: VirtualClock, promise: Promise<T>, step = 500): Promise<T> {
  let settled = false
  const end = () => {
    settled = true
  }
  promise.then(end, end)
  for (let moved = 0; !settled && moved < 3_600_000; moved += step) await clock.advance(step)
  if (!settled) throw new Error('it did not come to an end within an hour')
  return await promise
}
