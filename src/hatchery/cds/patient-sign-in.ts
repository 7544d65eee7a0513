import type { Clock, Log } from '../../ports/index.ts'
import type { Cds } from './cds.ts'

const betweenTries = 10_000
const patience = 300_000

/**
 * Signs in when a hatchery starts, V1 before V2; both must work. What fails is tried again every 10 seconds for 5 minutes, in case
 * CDS starts at the same time; then rejects with why the last try failed.
 */
export async function signInPatiently(
  cds: Cds,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  for (const [side, calls] of Object.entries({ V1: cds.v1, V2: cds.v2 })) {
    if (calls === undefined) continue
    const end = clock.monotonic() + patience
    for (;;) {
      try {
        await calls.signIn(signal)
        log.info('signed in to CDS', { side })
        break
      } catch (error) {
        if (signal.aborted || clock.monotonic() + betweenTries > end) throw error
        log.warn('cannot sign in to CDS yet', { side, error })
        await clock.sleep(betweenTries, signal)
      }
    }
  }
}
