import { isoTime } from '../../ports/index.ts'
import type { Draft, Event, Resource } from '../../kinds/index.ts'
import type { EventNote } from './event-correlator.ts'

/** Kubernetes refuses longer ones. */
const longestMessage = 1_024
const longestReason = 128
const longestName = 253

/** An Event as it is first written. Times in milliseconds since 1970. */
export function eventDraft(told: {
  readonly object: Resource
  readonly note: EventNote
  readonly message: string
  readonly first: number
  readonly last: number
  readonly count: number
  readonly name: string
  readonly instance: string | undefined
}): Draft<Event> {
  const { object, note, first, last, count, instance } = told
  const { namespace, name, uid, resourceVersion } = object.metadata
  return {
    metadata: { namespace: namespace ?? 'default', name: told.name },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    type: note.type,
    reason: note.reason.slice(0, longestReason),
    message: eventMessage(told.message),
    count,
    firstTimestamp: isoTime(first),
    lastTimestamp: isoTime(last),
    source: { component: note.controller },
    reportingComponent: note.controller,
    reportingInstance: instance ?? '',
  }
}

/** A message as long as an Event may carry it. */
export function eventMessage(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1)}…`
}

/**
 * The name of an Event about an object: that object's own and a time in nanoseconds, hexadecimal, as Kubernetes' own recorder writes it.
 * `sequence` makes it unique among events told in one millisecond.
 */
export function eventName(name: string, now: number, sequence: number): string {
  const suffix = (BigInt(Math.trunc(now)) * 1_000_000n + BigInt(sequence % 1_000_000)).toString(16)
  const stem = name.slice(0, longestName - suffix.length - 1).replace(/[^a-z0-9]+$/, '')
  return `${stem}.${suffix}`
}
