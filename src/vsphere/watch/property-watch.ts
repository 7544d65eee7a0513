import { backoff, DeadlineExceeded, Unreachable, type Chance, type Clock, type Log } from '../../ports/index.ts'
import { SignInRefused } from '../../platform/index.ts'
import type { Session } from '../soap/session.ts'
import { isUnanswered } from '../soap/unanswered.ts'
import { child } from '../xml/element.ts'
import { filterSpec, refOf, updateSet, type ObjectUpdate, type Selection, type UpdateSet } from '../vim/property-collector.ts'
import type { Ref } from '../xml/writer.ts'

/** How long vCenter may keep a call open while nothing changes. Two calls a minute then are all that an idle fleet costs. */
const waitSeconds = 30

/** How long after a lost answer, when the question is whether vCenter still answers at all. */
const shortWaitSeconds = 5

/** Who has been live for so long has not begun in vain: the next interruption is a new story. */
const steady = 60_000

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

/** Something that lives in vCenter as long as the session that it was made in. */
interface Made {
  readonly ref: Ref
  readonly generation: number
}

/**
 * The one long call by which all changes arrive: a property collector of our own with one filter for each `Watched`. An answer that
 * was lost on its way is asked for again: what came after a version that was not cut short vCenter tells as often as it is asked.
 * After any other interruption (session ended, vCenter restarted) it begins again with everything, and the watched compare what they
 * get with what they have.
 */
export class PropertyWatch {
  readonly #options: PropertyWatchOptions
  readonly #ending = new AbortController()
  #running: Promise<void> | undefined
  #rebuilds = 0
  /** Since when everything is told that there is, and in which session; undefined until then. */
  #live: { readonly since: number; readonly generation: number } | undefined
  /** Whether vCenter counts versions. A simulator that calls each the same forgets what it has sent. */
  #countsVersions = false
  /** What should have been removed from vCenter, which did not answer. */
  readonly #leftOver: Made[] = []

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
    let [failures, shortLives] = [0, 0]
    while (!signal.aborted) {
      this.#live = undefined
      try {
        await this.#watch()
      } catch (error) {
        if (signal.aborted) return
        if (this.#live === undefined) failures++
        else failures = shortLives = this.#hasLivedWell() ? 1 : shortLives + 1
        const why = error instanceof Error ? error.message : String(error)
        const hopeless = SignInRefused.is(error) ? error : undefined
        onDoubt(why, hopeless)
        log.warn('the watch of vCenter broke off', { error })
        if (hopeless !== undefined) return
        // At once the first time: most often a session ended, and the next is only a sign-in away.
        if (failures > 1) await clock.sleep(200 + backoff({ base: 1000, cap: 30_000, chance }, failures), signal).catch(() => {})
      }
    }
  }

  /** Whether the life that ended was worth its beginning: it was live for a while, or as long as its session. */
  #hasLivedWell(): boolean {
    const { session, clock } = this.#options
    if (this.#live === undefined) return false
    return session.generation > this.#live.generation || clock.monotonic() - this.#live.since >= steady
  }

  /** One life of a collector. Only an error ends it. */
  async #watch(): Promise<never> {
    const { session, watched } = this.#options
    const content = await session.content(this.#ending.signal)
    // Whoever is first to call after the end of a session signs in: only what comes after this call belongs to one session.
    const answer = await session.call('CreatePropertyCollector', content.manager('propertyCollector'), {}, { signal: this.#ending.signal })
    const collector = refOf(child(answer, 'returnval'))
    const made: Made[] = [{ ref: collector, generation: session.generation }]
    void this.#remove(this.#leftOver.splice(0))
    // When another call meets the end of the session first, what this one waits on is gone.
    const renewed = new AbortController()
    const forget = session.onSignIn(() => renewed.abort(Unreachable({ target: 'vCenter', why: 'the session ended', sent: true })))
    const signal = AbortSignal.any([this.#ending.signal, renewed.signal])
    try {
      const filters = new Map<string, Watched>()
      for (const one of watched) {
        const selection = await one.selection(signal)
        made.push({ ref: selection.from, generation: session.generation })
        filters.set(await this.#filter(collector, selection, signal), one)
      }
      for (const one of watched) one.begin()
      return await this.#follow(collector, filters, signal)
    } finally {
      forget()
      if (!this.#ending.signal.aborted) void this.#remove(made)
    }
  }

  async #follow(collector: Ref, filters: ReadonlyMap<string, Watched>, signal: AbortSignal): Promise<never> {
    const { session, clock } = this.#options
    let version = ''
    for (let isWhole = false; ;) {
      const set = await this.#next(collector, version, isWhole, signal)
      if (set === undefined) continue
      for (const update of set.updates) filters.get(update.filter)?.update(update)
      if (version !== '' && version !== set.version) this.#countsVersions = true
      version = set.version
      isWhole = !set.truncated
      if (set.truncated || this.#live !== undefined) continue
      this.#live = { since: clock.monotonic(), generation: session.generation }
      this.#rebuilds++
      for (const one of filters.values()) one.complete()
    }
  }

  async #filter(collector: Ref, selection: Selection, signal: AbortSignal): Promise<string> {
    const args = { spec: filterSpec(selection), partialUpdates: false }
    const answer = await this.#options.session.call('CreateFilter', collector, args, { signal })
    return refOf(child(answer, 'returnval')).id
  }

  /** What was made in a session that lives on would live on too. */
  async #remove(made: readonly Made[]): Promise<void> {
    const { session, log } = this.#options
    for (const one of made) {
      const { ref, generation } = one
      if (generation !== session.generation) continue
      const method = ref.type === 'PropertyCollector' ? 'DestroyPropertyCollector' : ref.type.endsWith('View') ? 'DestroyView' : undefined
      if (method === undefined) continue
      await session.call(method, ref).catch((error: unknown) => {
        log.debug('not removed from vCenter', { ref, error })
        if (isUnanswered(error)) this.#leftOver.push(one)
      })
    }
  }

  /** What has changed since a version. `isWhole`: whether all was told that there was until then. */
  async #next(collector: Ref, version: string, isWhole: boolean, signal: AbortSignal): Promise<UpdateSet | undefined> {
    try {
      return await this.#wait(collector, version, waitSeconds, signal)
    } catch (error) {
      const canAskAgain = isWhole && this.#countsVersions && (Unreachable.is(error) || DeadlineExceeded.is(error))
      if (signal.aborted || !canAskAgain) throw error
      this.#options.log.info('an answer to the watch of vCenter was lost: asking for it again', { error })
      return await this.#wait(collector, version, shortWaitSeconds, signal)
    }
  }

  async #wait(collector: Ref, version: string, maxWaitSeconds: number, signal: AbortSignal): Promise<UpdateSet | undefined> {
    const options = { maxWaitSeconds, maxObjectUpdates: mostObjects }
    // The first answer holds everything there is and may take its time.
    const timeout = version === '' ? 120_000 : (maxWaitSeconds + 15) * 1000
    return updateSet(await this.#options.session.call('WaitForUpdatesEx', collector, { version, options }, { timeout, signal }))
  }
}
