import type { Clock, Log } from '../ports/index.ts'
import type { Cds, StatusLine } from './cds/cds.ts'
import { CdsRefused } from './cds/errors.ts'
import { Rounds } from './rounds.ts'

/** What heartbeats need. */
export interface HeartbeatsOptions {
  readonly cds: Cds
  /** The status as it is now, after whatever must be asked for it. */
  readonly lines: (signal: AbortSignal) => Promise<readonly StatusLine[]>
  readonly maxFailures: number
  readonly clock: Clock
  readonly log: Log
  /** Told when CDS does not want this hatchery any more, or has been away too long for it to go on (V1). */
  readonly onRejected: (why: string) => void
}

const beatEvery = 30_000
const beatLimit = 15_000

/**
 * Tells both sides of CDS every 30 seconds that the hatchery lives, and how. V1 wants it to end if it is refused, or if too many
 * beats in a row do not arrive; V2 does not mind.
 */
export class Heartbeats {
  readonly #options: HeartbeatsOptions
  readonly #rounds: readonly Rounds[]
  #failures = 0

  constructor(options: HeartbeatsOptions) {
    const { clock, log } = options
    this.#options = options
    const rounds = (name: string, round: (signal: AbortSignal) => Promise<void>) =>
      new Rounds({ name, every: beatEvery, atOnce: true, clock, log, round })
    this.#rounds = [rounds('heartbeat', signal => this.#beatV1(signal)), rounds('heartbeatV2', signal => this.#beatV2(signal))]
  }

  start(): void {
    for (const rounds of this.#rounds) rounds.start()
  }

  /** Much has changed: the next beat comes now. */
  request(): void {
    for (const rounds of this.#rounds) rounds.request()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#rounds.map(rounds => rounds.stop()))
  }

  async #beatV1(signal: AbortSignal): Promise<void> {
    const { cds, lines, clock, log, maxFailures, onRejected } = this.#options
    if (cds.v1 === undefined) return
    using limit = clock.deadline(beatLimit, signal)
    try {
      await cds.v1.heartbeat(await lines(limit.signal), limit.signal)
      this.#failures = 0
    } catch (error) {
      if (signal.aborted) return
      this.#failures++
      log.warn('a heartbeat did not arrive', { side: 'V1', error, inARow: this.#failures })
      if (CdsRefused.is(error) && error.details.status === 403) onRejected(`CDS refuses its heartbeat: ${error.message}`)
      else if (this.#failures > maxFailures) onRejected(`${this.#failures} heartbeats in a row did not arrive: ${(error as Error).message}`)
    }
  }

  async #beatV2(signal: AbortSignal): Promise<void> {
    const { cds, lines, clock, log } = this.#options
    if (cds.v2 === undefined) return
    using limit = clock.deadline(beatLimit, signal)
    try {
      await cds.v2.heartbeat(await lines(limit.signal), limit.signal)
    } catch (error) {
      if (!signal.aborted) log.warn('a heartbeat did not arrive', { side: 'V2', error })
    }
  }
}
