import { aroundCalls, type Platform } from '../../platform/index.ts'
import { type Chance, type Clock, DeadlineExceeded, Unreachable } from '../../ports/index.ts'
import { type FaultRates, LinkFaults } from './link-faults.ts'

/** How long a call that hangs does so, unless the caller gives up before: every call has a deadline of its own. */
const hangFor = 5 * 60_000

/** What goes wrong, by a seed. */
export interface FaultOptions {
  readonly clock: Clock
  readonly chance: Chance
  readonly rates: FaultRates
}

/**
 * The same platform, whose calls fail at random: before their effect, after it, or by never answering. What stands on a platform
 * must come to the same end with and without it.
 */
export function withFaults(platform: Platform, { clock, chance, rates }: FaultOptions): Platform {
  const faults = new LinkFaults()
  faults.atRandom(chance, rates)
  return aroundCalls(platform, async ({ operation, signal }, next) => {
    const fault = faults.next(operation)
    const unreachable = (sent: boolean) => Unreachable({ target: platform.name, why: `simulated fault ${fault} ${operation}`, sent })
    if (fault === undefined) return await next()
    if (fault === 'before') throw unreachable(false)
    if (fault === 'after') {
      await next()
      throw unreachable(true)
    }
    const carriedOut = chance.fraction() < 0.5
    if (carriedOut) await next()
    await clock.sleep(hangFor, signal)
    throw DeadlineExceeded({ milliseconds: hangFor })
  })
}
