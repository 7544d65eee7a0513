import { backoff, Unreachable, type Chance, type Clock, type Log } from '../../ports/index.ts'
import { SignInRefused } from '../../platform/index.ts'
import type { Session } from '../soap/session.ts'
import { child } from '../xml/element.ts'
import { filterSpec, refOf, updateSet, type ObjectUpdate, type Selection } from '../vim/property-collector.ts'
import type { Ref } from '../xml/writer.ts'

/** How long vCenter may keep a call open while nothing changes. Two calls a minute then are all that an idle fleet costs. */
const waitSeconds = 30

/** Objects in one answer, so that no answer of a large inventory is a text of many megabytes. */
const mostObjects = 500

/** Something that wants to know what a set of objects looks like, always. */
export interface Watched {
  /** What to watch, made anew for each session: views live no longer than theirs. */
  selection(signal: AbortSignal): Promise<Selection>
  /** Everything will be reported from the beginning. */
  begin(): void
  update(update: ObjectUpdate): void
  /** Everything that is there has been reported. */
  complete(): void
}

/** Who is watched, over which session. */
export interface PropertyWatchOptions {
  readonly session: Session
  readonly watched: readonly Watched[]
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** Told that what is known may be out of date, and why; `hopeless` is the error if nothing will come until somebody acts. */
  onDoubt(why: string, hopeless: Error | undefined): void
}

/**
 * The one long call by which all changes arrive: a property collector of our own with one filter for each `Watched`. After whatever
 * interruption (session ended, vCenter restarted, an answer lost on its way) it begins again with everything: vCenter does not
 * promise to repeat what it has sent, so nothing less is safe, and the watched compare what they get with what they have.
 */
export class PropertyWatch {
  readonly #options: PropertyWatchOptions
  readonly #ending = new AbortController()
  #running: Promise<void> | undefined
  #rebuilds = 0

  constructor(options: PropertyWatchOptions) {
    this.#options = options
  }

  /** How often everything was reported from the beginning. */
  get rebuilds(): number {
    return this.#rebuilds
  }

  /** Begins, and goes on until `close`. */
  start(): void {
    this.#running ??= this.#run()
  }

  /** Ends the watch. */
  async close(): Promise<void> {
    this.#ending.abort(Unreachable({ target: 'vCenter', why: 'the connection was closed', sent: false }))
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock, chance, log, onDoubt } = this.#options
    const { signal } = this.#ending
    let failures = 0
    while (!signal.aborted) {
      try {
        await this.#watch(() => (failures = 0))
      } catch (error) {
        if (signal.aborted) return
        const why = error instanceof Error ? error.message : String(error)
        const hopeless = SignInRefused.is(error) ? error : undefined
        onDoubt(why, hopeless)
        log.warn('the watch of vCenter broke off', { error })
        if (hopeless !== undefined) return
        // At once the first time: most often a session ended, and the next is only a sign-in away.
        if (failures++ > 0) await clock.sleep(200 + backoff({ base: 1000, cap: 30_000, chance }, failures), signal).catch(() => {})
      }
    }
  }

  /** One life of a collector. Only an error ends it. */
  async #watch(onLive: () => void): Promise<never> {
    const { session, watched } = this.#options
    const { signal } = this.#ending
    const content = await session.content(signal)
    const { generation } = session
    const made: Ref[] = []
    // When another call meets the end of the session first, what this one waits on is gone.
    const renewed = new AbortController()
    const forget = session.onSignIn(() => renewed.abort(Unreachable({ target: 'vCenter', why: 'the session ended', sent: true })))
    try {
      const answer = await session.call('CreatePropertyCollector', content.manager('propertyCollector'), {}, { signal })
      const collector = refOf(child(answer, 'returnval'))
      made.push(collector)
      const filters = new Map<string, Watched>()
      for (const one of watched) {
        const selection = await one.selection(signal)
        made.push(selection.from)
        filters.set(await this.#filter(collector, selection), one)
      }
      for (const one of watched) one.begin()
      return await this.#follow(collector, filters, AbortSignal.any([signal, renewed.signal]), onLive)
    } finally {
      forget()
      if (session.generation === generation && !signal.aborted) void this.#remove(made)
    }
  }

  async #follow(collector: Ref, filters: ReadonlyMap<string, Watched>, signal: AbortSignal, onLive: () => void): Promise<never> {
    let version = ''
    for (let live = false; ;) {
      const set = await this.#next(collector, version, signal)
      if (set === undefined) continue
      for (const update of set.updates) filters.get(update.filter)?.update(update)
      version = set.version
      if (set.truncated || live) continue
      live = true
      this.#rebuilds++
      for (const one of filters.values()) one.complete()
      onLive()
    }
  }

  async #filter(collector: Ref, selection: Selection): Promise<string> {
    const args = { spec: filterSpec(selection), partialUpdates: false }
    const answer = await this.#options.session.call('CreateFilter', collector, args, { signal: this.#ending.signal })
    return refOf(child(answer, 'returnval')).id
  }

  /** The session lives on, so what was made in it would too. */
  async #remove(made: readonly Ref[]): Promise<void> {
    const { session, log } = this.#options
    for (const ref of made) {
      const method = ref.type === 'PropertyCollector' ? 'DestroyPropertyCollector' : ref.type.endsWith('View') ? 'DestroyView' : undefined
      if (method === undefined) continue
      await session.call(method, ref).catch((error: unknown) => log.debug('not removed from vCenter', { ref, error }))
    }
  }

  async #next(collector: Ref, version: string, signal: AbortSignal) {
    const options = { maxWaitSeconds: waitSeconds, maxObjectUpdates: mostObjects }
    // The first answer holds everything there is and may take its time.
    const timeout = version === '' ? 120_000 : (waitSeconds + 15) * 1000
    return updateSet(await this.#options.session.call('WaitForUpdatesEx', collector, { version, options }, { timeout, signal }))
  }
}
