import type { Resource } from '../../kinds/index.ts'
import { Recent } from './recent.ts'

/** Normal for what belongs to the course of things, Warning for what somebody may have to look at. */
export type EventType = 'Normal' | 'Warning'

/** Something that happened to an object. */
export interface EventNote {
  readonly type: EventType
  /** What happened, as one word in CamelCase. */
  readonly reason: string
  /** What happened, as a sentence. */
  readonly message: string
  /** Who tells it. */
  readonly controller: string
}

/** Where a note belongs: notes with one `slot` are one Event, counted. */
export interface Correlated {
  readonly slot: string
  readonly message: string
}

/** So many different messages of one reason within ten minutes are told one by one; further ones are combined. */
const mostMessages = 10
const messageInterval = 600_000

/** Each object may have so many notes at once, and one more every five minutes. */
const burst = 25
const refill = 300_000

/** Objects and reasons that are remembered. */
const mostRemembered = 4_096

/**
 * Decides which notes are told, and which are one: the rules and numbers of Kubernetes' own recorder. What is the same is
 * counted, what is similar and comes in masses is combined, and an object that floods is muted, others not.
 */
export class EventCorrelator {
  readonly #messages = new Recent<{ readonly since: number; readonly messages: Set<string> }>(mostRemembered)
  readonly #buckets = new Recent<{ tokens: number; at: number }>(mostRemembered)

  /** Undefined if the note is not to be told. `now` on the monotonic clock. */
  correlate(object: Resource, note: EventNote, now: number): Correlated | undefined {
    // One life of an object has one uid. Only a message may have lines, and it comes last.
    const about = `${note.controller}\n${object.metadata.uid}`
    if (!this.#mayTell(about, now)) return undefined
    const group = `${about}\n${note.type}\n${note.reason}`
    if (this.#isOneOfMany(group, note.message, now)) {
      return { slot: group, message: `(combined from similar events): ${note.message}` }
    }
    return { slot: `${group}\n${note.message}`, message: note.message }
  }

  #mayTell(about: string, now: number): boolean {
    const bucket = this.#buckets.get(about) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refill)
    const told = tokens >= 1
    this.#buckets.set(about, { tokens: told ? tokens - 1 : tokens, at: now })
    return told
  }

  #isOneOfMany(group: string, message: string, now: number): boolean {
    let known = this.#messages.get(group)
    if (known === undefined || now - known.since > messageInterval) known = { since: now, messages: new Set() }
    this.#messages.set(group, known)
    if (known.messages.has(message)) return false
    if (known.messages.size >= mostMessages) return true
    known.messages.add(message)
    return false
  }
}
