import type { Clock, Metrics, Timer } from '../../ports/index.ts'
import { WaitedTooLong } from '../errors.ts'
import { type GovernorLimits, totalOf, usualLimits } from './governor-limits.ts'
import { RunningWork } from './running-work.ts'
import { type Entry, WaitingWork } from './waiting-work.ts'

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
  /** Nobody waits for it: everybody else goes before it, and a quarter of the room is never taken by such work. Default false. */
  readonly canWait?: boolean
}

/** Something that is being done, and since when. */
export interface Running extends Work {
  readonly since: number
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
  /** Aborted when it is of no more use: nothing of it is shown from then on. */
  readonly until?: AbortSignal
  /** How many hosts the platform is known to have, for limits that grow with them. */
  readonly hosts?: () => number
}

/** After so long heavy work that waits for room on a host is no longer overtaken there by lighter work. */
const longEnough = 10_000

/** How much of the room work that can wait may take. */
const patientShare = 3 / 4

/** After so long work that can wait gets its turn among the others. */
const waitedEnough = 120_000

/**
 * Keeps what goes on at once on a platform under its limits: in all, by weight on each host, and one thing at a time per VM.
 * Those who wait are served in turns by owner, so that a tenant who wants a thousand VMs costs the others one turn each. Work that
 * can wait comes after all other, for a while, and leaves a quarter of the room to it: what is begun cannot be called back.
 */
export class Governor {
  readonly limits: GovernorLimits
  readonly platform: string
  readonly #clock: Clock
  readonly #waiting = new WaitingWork()
  readonly #running = new RunningWork()
  readonly #hosts: () => number
  readonly #waits: ReturnType<typeof waitMetrics> | undefined

  constructor({ platform, clock, limits, metrics, until, hosts = () => 0 }: GovernorOptions) {
    this.limits = { ...usualLimits, ...limits }
    this.#hosts = hosts
    this.platform = platform
    this.#clock = clock
    this.#waits = metrics === undefined ? undefined : waitMetrics(metrics, this, until)
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
      this.#running.remove(work)
      this.#waiting.release(work.target)
      this.#admit()
    }
  }

  /** How many operations may go on at once on the whole platform, as far as its hosts are known. */
  get total(): number {
    return this.limits.total ?? totalOf(this.#hosts(), this.limits.perHost)
  }

  /** What is being done, and since when. */
  running(): readonly Running[] {
    return this.#running.all()
  }

  /** Who waits, in the order in which they would be served, and why. */
  waiting(): readonly Waiting[] {
    return this.#waiting.inOrder().map(({ work, since }, index) => ({
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
      const timers: Timer[] = []
      const end = () => {
        for (const timer of timers) timer.cancel()
        signal.removeEventListener('abort', stop)
      }
      const leave = (error: unknown) => {
        this.#waiting.remove(entry)
        end()
        reject(error)
        this.#admit()
      }
      const stop = () => leave(signal.reason)
      const since = this.#clock.now()
      const entry: Entry = {
        work,
        since,
        begin: () => {
          end()
          this.#running.add(work, this.#clock.now())
          this.#waiting.hold(work.target)
          this.#waits?.observe({ platform: this.platform, operation: work.operation }, (this.#clock.now() - since) / 1_000)
          resolve()
        },
      }
      signal.addEventListener('abort', stop, { once: true })
      const giveUp = () => {
        const { message } = this.#obstacle(work)
        leave(WaitedTooLong({ what: `${work.operation} of ${work.target}`, minutes: this.limits.longestWait / 60_000, why: message }))
      }
      const waitNoLonger = () => {
        this.#waiting.hurry(entry)
        this.#admit()
      }
      timers.push(this.#clock.after(this.limits.longestWait, giveUp))
      if (work.canWait === true) timers.push(this.#clock.after(waitedEnough, waitNoLonger))
      this.#waiting.add(entry)
      this.#admit()
    })
  }

  /** Lets everybody begin for whom there is room. */
  #admit(): void {
    const hasRoom = (work: Work) => this.#obstacle(work).reason === 'WaitsItsTurn'
    while (this.#running.size < this.total) {
      const entry = this.#waiting.take(hasRoom, this.#clock.now() - longEnough)
      if (entry === undefined) return
      entry.begin()
    }
  }

  #obstacle({ target, host, weight, canWait = false }: Work): Pick<Waiting, 'reason' | 'message'> {
    const running = this.#running
    const holder = running.on(target)
    if (holder !== undefined) return { reason: 'VmBusy', message: `${holder.operation} of ${target} is under way` }
    const { total } = this
    if (host !== undefined) {
      const { perHost } = this.limits
      const load = running.weightOn(host)
      if (load + weight > perHost)
        return { reason: 'HostBusy', message: `host ${host} does ${load} of ${perHost} already, this takes ${weight}` }
      const spare = running.patientWeightOn(host)
      if (canWait && spare > 0 && spare + weight > patientShare * perHost)
        return { reason: 'HostBusy', message: `host ${host} does ${spare} that can wait; a quarter of its ${perHost} is for other work` }
    }
    if (running.size >= total) {
      return { reason: 'PlatformBusy', message: `${running.size} operations are under way on ${this.platform}, the limit is ${total}` }
    }
    if (canWait && running.patient > 0 && running.patient + 1 > patientShare * total) {
      const message = `${running.patient} operations that can wait are under way on ${this.platform}; a quarter of its ${total} is for others`
      return { reason: 'PlatformBusy', message }
    }
    return { reason: 'WaitsItsTurn', message: 'others are served first' }
  }
}

function waitMetrics(metrics: Metrics, governor: Governor, until: AbortSignal | undefined) {
  const { platform } = governor
  metrics.gauge({
    name: 'aviary_platform_operations',
    help: 'Operations on a platform that are under way (running) or held back (waiting).',
    labels: ['platform', 'state'],
    collect: gauge => {
      gauge.set({ platform, state: 'running' }, governor.running().length)
      gauge.set({ platform, state: 'waiting' }, governor.waiting().length)
    },
    until,
  })
  metrics.gauge({
    name: 'aviary_platform_held_back',
    help: 'Operations on a platform that are held back, by the reason why.',
    labels: ['platform', 'reason'],
    collect: gauge => {
      const counts = new Map<Waiting['reason'], number>([
        ['VmBusy', 0],
        ['HostBusy', 0],
        ['PlatformBusy', 0],
        ['WaitsItsTurn', 0],
      ])
      for (const { reason } of governor.waiting()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
      for (const [reason, count] of counts) gauge.set({ platform, reason }, count)
    },
    until,
  })
  return metrics.histogram({
    name: 'aviary_platform_wait_seconds',
    help: 'How long operations were held back before they began.',
    labels: ['platform', 'operation'],
    buckets: [0.1, 1, 5, 15, 60, 180, 600, 900],
  })
}
