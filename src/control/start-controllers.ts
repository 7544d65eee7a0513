import type { Chance, Clock, Log, Metrics } from '../ports/index.ts'
import type { Store } from '../store/index.ts'
import type { Controller, RunningController } from './controller/controller.ts'
import { ConditionClaimedTwice, NameTaken } from './errors.ts'
import { EventRecorder } from './events/event-recorder.ts'
import { Informers } from './informer/informers.ts'
import { kindId } from './object-key.ts'

/** What a set of controllers needs. */
export interface StartOptions {
  readonly store: Store
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly metrics: Metrics
  readonly controllers: readonly Controller[]
  /** Throws `NotLeader` if this process must not act, else says its term; from `Leadership`. Default: it may always act. */
  readonly fence?: () => number
  /** Names this instance of the program in events. */
  readonly instance?: string
  /** Informers to share with others, who then stop them. Default: own ones. */
  readonly informers?: Informers
  /** Milliseconds between comparisons of own informers with the store; for engines behind a network. Default: never. */
  readonly compareEvery?: number
}

/** A set of controllers at work. */
export interface RunningControllers {
  /** What they know, for others in the same program who want to read it. */
  readonly informers: Informers
  /** Resolves when all of them have read what they need to know. */
  readonly ready: Promise<void>
  /**
   * Takes no new work, lets what is under way end within so many milliseconds (default 10,000), then aborts it; writes the last
   * events. When it resolves, nothing of the set is at work any more.
   */
  stop(options?: { readonly within?: number }): Promise<void>
}

/** Starts controllers over one store. Throws if two have one name or claim one condition. */
export function startControllers(options: StartOptions): RunningControllers {
  checkNames(options.controllers)
  checkConditions(options.controllers)
  const informers = options.informers ?? new Informers(options)
  const events = new EventRecorder(options)
  const context = { ...options, informers, recordEvent: events.record, fence: options.fence ?? (() => 0) }
  const running: RunningController[] = options.controllers.map(each => each.start(context))
  const ready = Promise.all(running.map(each => each.ready)).then(() => {})
  ready.catch(() => {})
  return {
    informers,
    ready,
    stop: async ({ within = 10_000 } = {}) => {
      await Promise.all(running.map(each => each.stop({ within })))
      await events.stop({ within: lastEventsLimit })
      if (options.informers === undefined) await informers.stop()
    },
  }
}

/** Milliseconds for the last events when everything else has stopped. */
const lastEventsLimit = 2_000

function checkNames(controllers: readonly Controller[]): void {
  const names = new Set<string>()
  for (const { name } of controllers) {
    if (names.has(name)) throw NameTaken({ name })
    names.add(name)
  }
}

function checkConditions(controllers: readonly Controller[]): void {
  const writers = new Map<string, string>()
  for (const { name, owns } of controllers) {
    for (const type of owns?.conditions ?? []) {
      const claim = `${type} of ${kindId(owns!.kind)}`
      const other = writers.get(claim)
      if (other !== undefined) throw ConditionClaimedTwice({ kind: owns!.kind.name, type, controllers: [other, name] })
      writers.set(claim, name)
    }
  }
}
