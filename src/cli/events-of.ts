import { ageOf } from '../kinds/index.ts'
import type { Event } from '../kinds/index.ts'

/** The headings over `eventRow`. */
export const eventHeadings: readonly string[] = ['Last seen', 'Type', 'Reason', 'Object', 'Message']

/** An event as cells of a table. */
export function eventRow(event: Event, now: number): readonly string[] {
  const { involvedObject, type = '', reason = '', message = '', count = 1 } = event
  const age = ageOf(lastSeen(event), now)
  return [
    count > 1 ? `${age} (x${count})` : age,
    type,
    reason,
    `${involvedObject.kind ?? ''}/${involvedObject.name ?? ''}`.toLowerCase(),
    message,
  ]
}

/** When an event last happened. */
function lastSeen({ series, lastTimestamp, eventTime, metadata }: Event): string | undefined {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp
}

/** The oldest first. */
export function byTime(a: Event, b: Event): number {
  return (lastSeen(a) ?? '') < (lastSeen(b) ?? '') ? -1 : 1
}
