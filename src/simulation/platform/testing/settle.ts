import type { VirtualClock } from '../../../ports/index.ts'

/** Waits for a promise and moves virtual time on meanwhile, an hour at most. */
export async function settle<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let settled = false
  const end = () => {
    settled = true
  }
  promise.then(end, end)
  for (let moved = 0; !settled && moved < 3_600_000; moved += 500) await clock.advance(500)
  if (!settled) throw new Error('it did not come to an end within an hour')
  return await promise
}
