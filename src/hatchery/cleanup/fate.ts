import type { PlatformEvent, Vm } from '../../platform/index.ts'
import { formatDuration } from '../../ports/index.ts'

/** What becomes of a worker's VM, and why. */
export interface Fate {
  /** From when on it is to be removed, milliseconds since 1970; undefined: not for any reason that time brings. */
  readonly expires: number | undefined
  /** For the log: what the time was counted from. */
  readonly why: string
}

/** How long workers may be around. Milliseconds. */
export interface Lifetimes {
  /** A worker that CDS knows. */
  readonly workerTtl: number
  /** A worker that CDS does not know yet. */
  readonly workerRegistrationTtl: number
  /** A worker that is off, that CDS does not know, and that nobody saw on: perhaps it is only about to be switched on. */
  readonly finishedWorkerGracePeriod: number
}

/** Whether it is time. Not at the very moment, only after it. */
export function isDue({ expires }: Fate, now: number): boolean {
  return expires !== undefined && now > expires
}

/** The fate of a VM that went off before our eyes and that CDS does not know, or no longer: it goes now (hatchery §8.1.8). */
export const finished: Fate = { expires: Number.NEGATIVE_INFINITY, why: 'its worker finished' }

/** The fate of a VM that says itself when it became a worker. */
export function fateByStart(power: Vm['power'], isRegistered: boolean, start: number, lifetimes: Lifetimes): Fate {
  const { workerTtl, workerRegistrationTtl, finishedWorkerGracePeriod } = lifetimes
  if (power === 'off') {
    if (isRegistered) return { expires: start, why: 'it is off although CDS knows its worker' }
    return after(start, finishedWorkerGracePeriod, 'it is off and CDS does not know its worker')
  }
  if (isRegistered) return after(start, workerTtl, 'its worker has lived its time')
  return after(start, workerRegistrationTtl, 'its worker did not register')
}

/**
 * The fate of a VM of an older hatchery, which did not write down when it became a worker, by what happened to it. Undefined if
 * the events do not tell: they age out, and a VM that was just made has none yet.
 */
export function fateByEvents(events: readonly PlatformEvent[], isRegistered: boolean, lifetimes: Lifetimes): Fate | undefined {
  const { workerTtl, workerRegistrationTtl } = lifetimes
  const started = newest(events, 'started')
  const renamed = newest(events, 'renamed')
  const poweredOff = newest(events, 'poweredOff')
  if (started === undefined) {
    return renamed === undefined ? undefined : after(renamed, workerRegistrationTtl, 'it got the name of a worker and was never started')
  }
  if (isRegistered) return after(started, workerTtl, 'its worker has lived its time')
  if (poweredOff !== undefined && poweredOff >= started) return { expires: poweredOff, why: 'its worker finished' }
  return after(started, workerRegistrationTtl, 'its worker did not register')
}

/**
 * When something last happened to the VM as a worker. What its message tells of `provision-…` belongs to the time when it stood ready.
 * Only the last renaming tells of it as well, and is the very one that made it a worker.
 */
function newest(events: readonly PlatformEvent[], type: PlatformEvent['type']): number | undefined {
  const isOfWorker = ({ message }: PlatformEvent) => type === 'renamed' || !message.includes('provision-')
  const times = events.filter(event => event.type === type && isOfWorker(event)).map(event => event.time)
  return times.length === 0 ? undefined : Math.max(...times)
}

function after(start: number, lifetime: number, why: string): Fate {
  return { expires: start + lifetime, why: `${why} within ${formatDuration(lifetime)}` }
}
