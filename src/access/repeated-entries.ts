import type { Clock, Timer } from '../ports/index.ts'
import type { AuditEntry } from './access.ts'
import { isAnonymous } from './anonymous.ts'
import { networkOf } from './network.ts'

const minute = 60_000
/** So many crowds are told apart at a time; all others are counted together. */
const maxCrowds = 256
const allOthers = 'all others'

/** Entries of the same sort, for a minute. */
interface Crowd {
  last: AuditEntry
  lastAt: number
  count: number
  readonly timer: Timer
}

/**
 * What anybody can cause as often as they like: requests of strangers, and of people who were told to wait. One line for each would
 * push everything else out of the log. The first of a crowd is handed on as it is; those that follow within a minute are counted and
 * become one entry at its end, which is the last of them with their number.
 */
export class RepeatedEntries {
  readonly #clock: Clock
  readonly #write: (entry: AuditEntry, at: number) => void
  readonly #crowds = new Map<string, Crowd>()

  constructor(clock: Clock, write: (entry: AuditEntry, at: number) => void) {
    this.#clock = clock
    this.#write = write
  }

  /** Takes an entry and sees that it is written, by itself or counted with others. */
  add(entry: AuditEntry): void {
    const name = crowdOf(entry)
    if (name === undefined) this.#write(entry, this.#clock.now())
    else this.#join(this.#crowds.has(name) || this.#crowds.size < maxCrowds ? name : allOthers, entry)
  }

  /** Writes what was only counted so far. */
  close(): void {
    for (const name of this.#crowds.keys()) this.#end(name)
  }

  #join(name: string, entry: AuditEntry): void {
    const now = this.#clock.now()
    const crowd = this.#crowds.get(name)
    if (crowd === undefined) {
      this.#write(entry, now)
      this.#crowds.set(name, { last: entry, lastAt: now, count: 0, timer: this.#clock.after(minute, () => this.#end(name)) })
      return
    }
    crowd.last = entry
    crowd.lastAt = now
    crowd.count++
  }

  #end(name: string): void {
    const { last, lastAt, count, timer } = this.#crowds.get(name)!
    timer.cancel()
    this.#crowds.delete(name)
    if (count > 0) this.#write({ ...last, repeated: count }, lastAt)
  }
}

/** What an entry is counted with; undefined if it has a line of its own in any case. */
function crowdOf({ user, sourceAddress, status }: AuditEntry): string | undefined {
  const isStranger = user === '' || isAnonymous({ name: user })
  if (isStranger) return `${status} from ${networkOf(sourceAddress)}`
  return status === 429 ? `${status} of ${user}` : undefined
}
