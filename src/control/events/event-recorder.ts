import { backoff, type Chance, type Clock, isoTime, type Log, type Metrics } from '../../ports/index.ts'
import { type Draft, Event, type Resource } from '../../kinds/index.ts'
import { type Store, StoreError, undefinedIf } from '../../store/index.ts'
import { Waiters } from '../waiters.ts'
import { EventCorrelator, type EventNote } from './event-correlator.ts'
import { eventDraft, eventMessage, eventName } from './event-draft.ts'
import { Recent } from './recent.ts'

/** Tells of something that happened to an object. Never waits, never fails. */
export type RecordEvent = (object: Resource, note: EventNote) => void

/** What a recorder of events needs. */
export interface EventRecorderOptions {
  readonly store: Store
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly metrics: Metrics
  /** Which instance of the program tells it. Default: none is named. */
  readonly instance?: string
}

/** An Event that is to be written. */
interface Pending {
  /** Chosen once, so that a try whose reply was lost is recognised by the next. */
  readonly name: string
  readonly object: Resource
  readonly note: EventNote
  message: string
  readonly first: number
  last: number
  count: number
}

/** Notes that wait to be written, at most; more are dropped and counted. */
const mostPending = 1_000

/** Milliseconds that one write may take, and how often it is tried. */
const writeLimit = 10_000
const mostTries = 4
const retry = { base: 500, cap: 10_000 }

/**
 * Writes Events, one after the other, behind everybody's back: whoever tells of something is never held up by it and never
 * hears that it failed. What is told again while it waits to be written is counted, not written twice.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #correlator = new EventCorrelator()
  readonly #pending = new Map<string, Pending>()
  /** The Events written last, by slot, so that what happens again can be counted. */
  readonly #written = new Recent<Event>(4_096)
  readonly #idle = new Waiters()
  readonly #stop = new AbortController()
  readonly #dropped: () => void
  #writing = false
  #stopped = false
  #sequence = 0

  constructor(options: EventRecorderOptions) {
    this.#options = options
    const dropped = options.metrics.counter({
      name: 'aviary_controller_events_dropped_total',
      help: 'Events that were not written: too many about one object, too many at once, or refused by the store.',
    })
    this.#dropped = () => dropped.add({})
  }

  /** Tells of something that happened to an object. */
  readonly record: RecordEvent = (object, note) => {
    if (this.#stopped) return
    const { clock } = this.#options
    const correlated = this.#correlator.correlate(object, note, clock.monotonic())
    if (correlated === undefined) return this.#dropped()
    const { slot, message } = correlated
    const pending = this.#pending.get(slot)
    if (pending !== undefined) {
      pending.count++
      pending.last = clock.now()
      pending.message = message
      return
    }
    if (this.#pending.size >= mostPending) return this.#dropped()
    const now = clock.now()
    const name = eventName(object.metadata.name, now, this.#sequence++)
    this.#pending.set(slot, { name, object, note, message, first: now, last: now, count: 1 })
    if (this.#writing) return
    this.#writing = true
    clock.soon(() => void this.#writeAll())
  }

  /** Takes nothing more, and writes what is waiting, for at most so many milliseconds. */
  async stop({ within }: { readonly within: number }): Promise<void> {
    this.#stopped = true
    using deadline = this.#options.clock.deadline(within)
    await this.#idle.until(() => !this.#writing, deadline.signal).catch(() => {})
    this.#stop.abort()
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#first(); next !== undefined && !this.#stop.signal.aborted; next = this.#first()) {
      const [slot, pending] = next
      this.#pending.delete(slot)
      await this.#write(slot, pending)
    }
    this.#writing = false
    this.#idle.check()
  }

  #first(): readonly [string, Pending] | undefined {
    const { value } = this.#pending.entries().next()
    return value
  }

  async #write(slot: string, pending: Pending): Promise<void> {
    const { clock, chance, log } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        using deadline = clock.deadline(writeLimit, this.#stop.signal)
        this.#written.set(slot, await this.#createOrCount(slot, pending, deadline.signal))
        return
      } catch (error) {
        if (this.#stop.signal.aborted) return
        if (attempt === mostTries || isFinal(error)) {
          this.#dropped()
          log.debug('an event was not written', { error, reason: pending.note.reason, object: pending.object.metadata.name })
          return
        }
        await clock.sleep(backoff({ ...retry, chance }, attempt), this.#stop.signal).catch(() => {})
      }
    }
  }

  async #createOrCount(slot: string, pending: Pending, signal: AbortSignal): Promise<Event> {
    const { store } = this.#options
    const written = this.#written.get(slot)
    if (written === undefined) return this.#create(pending, signal)
    const wanted = counted(written, pending)
    try {
      return await store.update(Event, wanted, { signal })
    } catch (error) {
      if (!StoreError.is(error, 'NotFound', 'Conflict')) throw error
    }
    // It expired, or somebody touched it: perhaps we did, and the reply was lost.
    const present = await this.#read(written)
    if (present === undefined) {
      this.#written.delete(slot)
      return this.#create(pending, signal)
    }
    this.#written.set(slot, present)
    return isCounted(present, wanted) ? present : store.update(Event, counted(present, pending), { signal })
  }

  async #create(pending: Pending, signal: AbortSignal): Promise<Event> {
    const { store, instance } = this.#options
    const draft = eventDraft({ ...pending, instance })
    try {
      return await store.create(Event, draft, { signal })
    } catch (error) {
      if (!StoreError.is(error, 'AlreadyExists')) throw error
      const present = await this.#read(draft)
      if (present === undefined) throw error
      return present
    }
  }

  #read({ metadata: { namespace = '', name = '' } }: Draft<Event>): Promise<Event | undefined> {
    return this.#options.store.get(Event, { namespace, name }).catch(undefinedIf('NotFound'))
  }
}

function counted(event: Event, { count, last, message }: Pending): Event {
  return { ...event, message: eventMessage(message), count: (event.count ?? 1) + count, lastTimestamp: isoTime(last) }
}

/** Whether an Event says what was to be written to it. */
function isCounted(event: Event, { count, lastTimestamp, message }: Event): boolean {
  return event.count === count && event.lastTimestamp === lastTimestamp && event.message === message
}

/** Whether another try would come to the same. A namespace that goes takes its events with it. */
function isFinal(error: unknown): boolean {
  return StoreError.is(error, 'NotFound', 'Forbidden', 'Invalid', 'BadRequest', 'RequestEntityTooLarge')
}
