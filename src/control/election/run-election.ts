import type { Chance, Clock, Log } from '../../ports/index.ts'
import { type Store, StoreError } from '../../store/index.ts'
import { keyText } from '../object-key.ts'
import { LeaseHolder } from './lease-holder.ts'
import { Leadership } from './leadership.ts'

/** How long things take, in milliseconds. The defaults are those of Kubernetes. */
export interface ElectionDials {
  /** How long others wait after the holder's last sign of life. Default 15,000. */
  readonly lease: number
  /** How long after its last sign of life the holder stops acting. In the time left until `lease` it comes to rest. Default 10,000. */
  readonly renew: number
  /** How long between two signs of life, and between two tries to get the lease. Default 2,000. */
  readonly retry: number
}

/** What an election needs, and what the one who wins it does. */
export interface ElectionOptions {
  readonly store: Pick<Store, 'get' | 'create' | 'update'>
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** The Lease that is fought for. Its namespace must exist. */
  readonly lease: { readonly namespace: string; readonly name: string }
  /** This process and no other, ever: a name with something random in it. */
  readonly identity: string
  readonly dials?: Partial<ElectionDials>
  /**
   * What the leader does. Called each time the lease is won; it works until `leadership.signal` or `stop` is aborted, and resolves
   * when everything has stopped: at once if the leadership is lost, in good order if only `stop` is aborted. Whatever it writes to
   * the outside asks `leadership.fence()` first.
   */
  readonly lead: (leadership: Leadership, stop: AbortSignal) => Promise<void>
  /** Ends the campaign. The lease is kept while `lead` comes to an end, then given back. */
  readonly signal: AbortSignal
}

const defaults: ElectionDials = { lease: 15_000, renew: 10_000, retry: 2_000 }

/**
 * Campaigns for a Lease until the signal is aborted, and leads whenever it is won. Never do two processes lead: the holder stops
 * acting `renew` after its last sign of life was sent, and others wait `lease` after they last saw one.
 *
 * @example
 * await runElection({
 *   ...ports, store, lease, identity, signal,
 *   lead: async (leadership, stop) => {
 *     const running = startControllers({ ...ports, store, controllers, fence: () => leadership.fence() })
 *     await aborted(leadership.signal, stop)
 *     await running.stop({ within: leadership.signal.aborted ? 0 : 10_000 })
 *   },
 * })
 */
export async function runElection(options: ElectionOptions): Promise<void> {
  const { clock, chance, signal } = options
  const dials = { ...defaults, ...options.dials }
  const holder = new LeaseHolder({ ...options, duration: dials.lease, requestLimit: dials.renew / 2 })
  const log = options.log.with({ lease: keyText(options.lease), identity: options.identity })
  while (!signal.aborted) {
    const won = await attempt(log, () => holder.take())
    if (won !== undefined) {
      const leadership = new Leadership(clock, keyText(options.lease), won.term)
      leadership.extend(won.began, dials.renew)
      // Not if the answer came so late that the time is already over.
      if (leadership.isCurrent()) await hold(options, dials, holder, leadership, log)
    }
    // Not all at one moment: those who wait for the same lease would collide again and again.
    if (!signal.aborted) await clock.sleep(dials.retry * (1 + chance.fraction() / 5), signal).catch(() => {})
  }
}

/** Leads, and gives signs of life, until that fails for too long or the work ends. */
async function hold(options: ElectionOptions, dials: ElectionDials, holder: LeaseHolder, leadership: Leadership, log: Log): Promise<void> {
  const { clock } = options
  log.info('this process leads', { term: leadership.term })
  const work = led(options, leadership, log)
  while (leadership.isCurrent()) {
    await clock.sleep(dials.retry, leadership.signal).catch(() => {})
    if (!leadership.isCurrent()) break
    const renewed = await attempt(log, async () => (await holder.renew(leadership.term)) ?? 'lost')
    if (renewed === 'lost') leadership.lose('another process took it')
    else if (renewed !== undefined) leadership.extend(renewed, dials.renew)
  }
  log.info('this process leads no more', { term: leadership.term, why: leadership.whyLost })
  // Only when everything has stopped may another start at once.
  await work
  await attempt(log, () => holder.giveBack(leadership.term))
}

async function led({ lead, signal }: ElectionOptions, leadership: Leadership, log: Log): Promise<void> {
  try {
    await lead(leadership, signal)
    leadership.lose('its work ended')
  } catch (error) {
    log.error('what the leader does has failed', { error })
    leadership.lose('its work failed')
  }
}

/** Undefined if it failed: it is tried again in a moment. */
async function attempt<T>(log: Log, request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request()
  } catch (error) {
    if (StoreError.is(error, 'Conflict', 'AlreadyExists')) log.debug('another process was faster', { error })
    else log.warn('a request about the lease failed', { error })
    return undefined
  }
}
