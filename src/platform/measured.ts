import { type Clock, Failure, type Metrics } from '../ports/index.ts'
import { aroundCalls } from './around-calls.ts'
import type { Platform } from './platform.ts'

/** The same platform, with how long each call took and how it ended shown in the metrics. */
export function measured(platform: Platform, { metrics, clock }: { readonly metrics: Metrics; readonly clock: Clock }): Platform {
  const seconds = metrics.histogram({
    name: 'aviary_platform_call_seconds',
    help: 'How long calls of a platform took, tasks and waits included. The outcome is ok, given up, or the code of the error.',
    labels: ['platform', 'operation', 'outcome'],
    buckets: [0.1, 0.5, 1, 5, 15, 30, 60, 180, 600],
  })
  return aroundCalls(platform, async ({ operation, signal }, next) => {
    const since = clock.monotonic()
    const observe = (outcome: string) =>
      seconds.observe({ platform: platform.name, operation, outcome }, (clock.monotonic() - since) / 1_000)
    try {
      const result = await next()
      observe('ok')
      return result
    } catch (error) {
      observe(signal.aborted ? 'given up' : error instanceof Failure ? error.code : 'error')
      throw error
    }
  })
}
