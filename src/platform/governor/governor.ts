import type { Clock, Metrics, Timer } from '../../ports/index.ts'
import { WaitedTooLong } from '../errors.ts'
import { FairQueue } from './fair-queue.ts'
import { type GovernorLimits, usualLimits } from './governor-limits.ts'

/** Something that wants to be done. */
export interface Work {
  /** For whom; each owner gets its turn. */
  readonly owner: string
  readonly operation: string
  /** The VM; only one thing at a time is done with it. */
  readonly target: string
  /** The host that bears the work; undefined if not known. */
  readonly host: string | undefined
  readonly weight: number
}

/** Somebody who waits, for what, since when, and until when. */
export interface Waiting extends Work {
  /** 1 is next, as things stand. */
  readonly position: number
  readonly since: number
  readonly until: number
  readonly reason: 'VmBusy' | 'HostBusy' | 'PlatformBusy' | 'WaitsItsTurn'
  readonly message: string
}

/** What a governor is made of. */
export interface GovernorOptions {
  readonly platform: string
  readonly clock: Clock
  readonly limits?: Partial<GovernorLimits>
  readonly metrics?: Metrics
}

interface Entry {
  readonly work: Work
  readonly since: number
  readonly begin: () => void
}

/** After so long heavy work that waits for room on a host is no longer overtaken there by lighter work. */
const longEnough = 10_000

/**
 * Keeps what goes on at once on a platform under its limits: in all, by weight on each host, and one thing at a time per VM.
 * Those who wait are served in turns by owner, so that a tenant who wants a thousand VMs costs the others one turn each.
 */
export class Governor {
  readonly limits: GovernorLimits
  readonly #platform: string
  readonly #clock: Clock
  readonly #queue = new FairQueue<Entry>()
  readonly #running = new Set<Work>()
  readonly #waits: ReturnType<typeof waitMetrics> | undefined

  constructor({ platform, clock, limits, metrics }: GovernorOptions) {
    this.limits = { ...usualLimits, ...limits }
    this.#platform = platform
    this.#clock = clock
    this.#waits = metrics === undefined ? undefined : waitMetrics(metrics, platform, this)
  }

  /**
   * Does the work as soon as there is room. Rejects with WaitedTooLong, or the signal's reason, if that happens before; from then
   * on it is up to the work itself to heed the signal.
   */
  async run<T>(work: Work, act: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(work, signal)
    try {
      return await act()
    } finally {
      this.#running.delete(work)
      this.#admit()
    }
  }

  /** What is being done. */
  running(): readonly Work[] {
    return [...this.#running]
  }

  /** Who waits, in the order in which they would be served, and why. */
  waiting(): readonly Waiting[] {
    return this.#queue.inOrder().map(({ work, since }, index) => ({
      ...work,
      position: index + 1,
      since,
      until: since + this.limits.longestWait,
      ...this.#obstacle(work),
    }))
  }

  #turn(work: Work, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      let timer: Timer | undefined
      const leave = (error: unknown) => {
        this.#queue.remove(work.owner, entry)
        timer?.cancel()
        signal.removeEventListener('abort', stop)
        reject(error)
        this.#admit()
      }
      const stop = () => leave(signal.reason)
      const since = this.#clock.now()
      const entry: Entry = {
        work,
        since,
        begin: () => {
          timer?.cancel()
          signal.removeEventListener('abort', stop)
          this.#running.add(work)
          this.#waits?.observe({ platform: this.#platform, operation: work.operation }, (this.#clock.now() - since) / 1_000)
          resolve()
        },
      }
      signal.addEventListener('abort', stop, { once: true })
      timer = this.#clock.after(this.limits.longestWait, () => {
        const { message } = this.#obstacle(work)
        leave(WaitedTooLong({ what: `${work.operation} of ${work.target}`, minutes: this.limits.longestWait / 60_000, why: message }))
      })
      this.#queue.add(work.owner, entry)
      this.#admit()
    })
  }

  /** Lets everybody begin for whom there is room. */
  #admit(): void {
    while (this.#running.size < this.limits.total) {
      const first = this.#firstOnHost()
      const entry = this.#queue.take(candidate => {
        const keeper = first.get(candidate.work.host ?? '')
        return (keeper === undefined || keeper === candidate) && this.#obstacle(candidate.work).reason === 'WaitsItsTurn'
      })
      if (entry === undefined) return
      entry.begin()
    }
  }

  /** Heavy work that has waited for its host long enough: the others must leave that host's room to it. */
  #firstOnHost(): ReadonlyMap<string, Entry> {
    const first = new Map<string, Entry>()
    for (const entry of this.#queue.inOrder()) {
      const { host, weight } = entry.work
      if (host === undefined || weight <= 1 || this.#clock.now() - entry.since < longEnough) continue
      if (this.#obstacle(entry.work).reason !== 'VmBusy' && entry.since < (first.get(host)?.since ?? Infinity)) first.set(host, entry)
    }
    return first
  }

  #obstacle({ target, host, weight }: Work): Pick<Waiting, 'reason' | 'message'> {
    const running = [...this.#running]
    const holder = running.find(other => other.target === target)
    if (holder !== undefined) return { reason: 'VmBusy', message: `${holder.operation} of ${target} is under way` }
    if (host !== undefined) {
      const load = running.reduce((sum, other) => sum + (other.host === host ? other.weight : 0), 0)
      const { perHost } = this.limits
      if (load + weight > perHost)
        return { reason: 'HostBusy', message: `host ${host} does ${load} of ${perHost} already, this takes ${weight}` }
    }
    if (running.length >= this.limits.total) {
      return {
        reason: 'PlatformBusy',
        message: `${running.length} operations are under way on ${this.#platform}, the limit is ${this.limits.total}`,
      }
    }
    return { reason: 'WaitsItsTurn', message: 'others are served first' }
  }
}

function waitMetrics(metrics: Metrics, platform: string, governor: Governor) {
  metrics.gauge({
    name: 'aviary_platform_operations',
    help: 'Operations on a platform that are under way (running) or held back (waiting).',
    labels: ['platform', 'state'],
    collect: gauge => {
      gauge.set({ platform, state: 'running' }, governor.running().length)
      gauge.set({ platform, state: 'waiting' }, governor.waiting().length)
    },
  })
  return metrics.histogram({
    name: 'aviary_platform_wait_seconds',
    help: 'How long operations were held back before they began.',
    labels: ['platform', 'operation'],
    buckets: [0.1, 1, 5, 15, 60, 180, 600, 900],
  })
}
