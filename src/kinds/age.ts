import { derivedColumn } from './column.ts'
import type { Column } from './kind.ts'

/** How long ago a moment was, as kubectl prints ages: `75s`, `4m10s`, `5h`, `3d`. `<unknown>` without a moment. */
export function ageOf(moment: unknown, now: number): string {
  const since = typeof moment === 'string' ? milliseconds(moment) : undefined
  return since === undefined ? '<unknown>' : humanDuration(now - since)
}

/** A length of time in Kubernetes' short form: the two largest units while both matter, then only the largest. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 120) return `${Math.max(seconds, 0)}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return both(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return both(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return both(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return days < 2920 ? both(years, 'y', days % 365, 'd') : `${years}y`
}

function both(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** Milliseconds since 1970, by arithmetic: this room does without the machine's calendar. */
function milliseconds(text: string): number | undefined {
  const parts = rfc3339.exec(text)
  if (parts === null) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [number, number, number, number, number, number]
  const offset = (parts[8] === '-' ? -1 : 1) * (Number(parts[9] ?? 0) * 60 + Number(parts[10] ?? 0))
  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset
  return (minutes * 60 + second + Number(parts[7] ?? 0)) * 1000
}

/** Counts years from March, so that the leap day is the last of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}

/** The age column of kinds that Kubernetes itself serves: they print it as a text. */
export const builtInAgeColumn: Column = derivedColumn('Age', '.metadata.creationTimestamp', 0, 'When the object was made.', (object, now) =>
  ageOf(object.metadata.creationTimestamp, now),
)
