import { isDeepStrictEqual } from 'node:util'
import { backoff, type Chance } from '../../ports/index.ts'
import type { Resource } from '../../kinds/index.ts'
import { findCondition } from '../conditions.ts'
import type { Pass } from './controller.ts'
import { again, done, type Outcome } from './step.ts'

/** So often the same is written at once: a write may be lost, or somebody may have wiped the status. */
const mostInHaste = 3

/** Milliseconds of the first and of any pause; twice as long each time. */
const pause = { base: 2_000, cap: 120_000 }

/** Milliseconds after which an old dispute is forgotten. */
const memory = 600_000

interface Dispute {
  wanted: unknown
  writes: number
  since: number
  /** Before this time it is not written again. */
  until: number
}

/**
 * Slows down who writes the same over and over. Two programs without an election may look at one object, and one of them may hear of
 * changes late or not at all; then each writes what it sees over what the other wrote, as fast as both can. What is new is written at
 * once; what is said again although somebody else says otherwise has to wait, longer each time.
 */
export class RewriteBrake {
  /** The oldest first. */
  readonly #disputes = new Map<string, Dispute>()

  /** How many objects are remembered. */
  get size(): number {
    return this.#disputes.size
  }

  /** Undefined if `wanted` may be written over `there` now, else the time to look again. Both are of the same form. */
  heldUntil(
    key: string,
    there: unknown,
    wanted: unknown,
    { now, chance }: { readonly now: number; readonly chance: Chance },
  ): number | undefined {
    if (isDeepStrictEqual(there, wanted)) return undefined
    const known = this.#disputes.get(key)
    if (known === undefined || !isDeepStrictEqual(known.wanted, wanted) || now - known.since > memory) {
      this.#forgetOld(now)
      this.#disputes.delete(key)
      this.#disputes.set(key, { wanted, writes: 1, since: now, until: 0 })
      return undefined
    }
    if (now < known.until) return known.until
    known.writes++
    const rounds = known.writes - mostInHaste
    if (rounds > 0) known.until = now + pause.base / 2 + backoff({ ...pause, chance }, rounds)
    return undefined
  }

  /** Forgets an object that is gone. */
  forget(key: string): void {
    this.#disputes.delete(key)
  }

  /** Not everybody who goes says so. */
  #forgetOld(now: number): void {
    for (const [key, { since }] of this.#disputes) {
      if (now - since <= memory) return
      this.#disputes.delete(key)
    }
  }
}

/** What a step wants to say, unless that has to wait: then it is said later, and until then somebody else's word stands. */
export function braked<R extends Resource>(
  { object, key, brake, now, chance }: Pass<R> & { readonly brake: RewriteBrake },
  outcomes: readonly Outcome<R>[],
): readonly Outcome<R>[] {
  const there: unknown[] = []
  const wanted: unknown[] = []
  const { status = {} } = object as { readonly status?: Readonly<Record<string, unknown>> }
  for (const outcome of outcomes) {
    for (const [field, value] of Object.entries(outcome.status ?? {})) {
      there.push(status[field])
      wanted.push(value)
    }
    if (outcome.condition === undefined) continue
    const old = findCondition(object, outcome.condition.type)
    there.push([old?.reason, old?.message])
    wanted.push([outcome.condition.reason, outcome.condition.message])
  }
  const until = brake.heldUntil(key, there, wanted, { now, chance })
  return until === undefined ? outcomes : [again(until), done]
}
