import { DurationNotValid, TimeNotValid } from './errors.ts'

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** Milliseconds since 1970 as Kubernetes writes a time: `2026-11-15T23:21:43Z`. */
export function isoTime(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000)
  const day = Math.floor(second / 86_400)
  // Nearly all ask for the same day as whoever asked last.
  if (day !== latestDay.day) latestDay = { day, text: new Date(day * 86_400_000).toISOString().slice(0, -'00:00:00.000Z'.length) }
  const rest = second - day * 86_400
  return `${latestDay.text}${twoDigits[Math.floor(rest / 3600)]}:${twoDigits[Math.floor(rest / 60) % 60]}:${twoDigits[rest % 60]}Z`
}

let latestDay = { day: 0, text: '1970-01-01T' }
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** Milliseconds since 1970 as Kubernetes writes a time in Leases and Events: `2026-11-15T23:21:43.125000Z`. */
export function isoTimeMicro(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000) * 1000
  const microseconds = Math.floor((milliseconds - second) * 1000)
  return `${isoTime(second).slice(0, -1)}.${String(microseconds).padStart(6, '0')}Z`
}

/** Milliseconds since 1970 of an RFC 3339 time, whatever its offset and however fine. Throws `TimeNotValid`. */
export function parseTime(text: string): number {
  const milliseconds = rfc3339.test(text) ? Date.parse(text.toUpperCase()) : Number.NaN
  // Date.parse takes 30 February for 2 March; a day that does not exist is a mistake, not a later day.
  if (Number.isNaN(milliseconds) || !hasItsDay(text)) throw TimeNotValid({ text })
  return milliseconds
}

/** Whether the month of a text that begins like `2026-11-15` has that day, counted from 1. */
export function hasItsDay(text: string): boolean {
  const day = Number(text.slice(8, 10))
  return day <= 28 || day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)))
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Milliseconds in each unit that Go, and therefore Kubernetes, knows. */
const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, µs: 1e-3, μs: 1e-3, ns: 1e-6 }

const wholeText = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|μs|ns))+|0)$/
const onePart = /(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|μs|ns)/g

/** Milliseconds of a duration as Kubernetes and Go write it: `1h30m`, `1.5s`, `300ms`, `0`. Throws `DurationNotValid`. */
export function parseDuration(text: string): number {
  const [, sign, parts] = wholeText.exec(text) ?? []
  if (parts === undefined) throw DurationNotValid({ text })
  let milliseconds = 0
  for (const [, count, unit] of parts.matchAll(onePart)) milliseconds += Number(count) * (units[unit as string] as number)
  return sign === '-' && milliseconds !== 0 ? -milliseconds : milliseconds
}

/** A duration for people and for `parseDuration`, which reads it back: `1h30m`, `1m5.25s`, `300ms`, `0s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 0) return `-${formatDuration(-milliseconds)}`
  if (milliseconds > 0 && milliseconds < 1000) return `${plainNumber(milliseconds)}ms`
  const hours = Math.floor(milliseconds / 3_600_000)
  const minutes = Math.floor(milliseconds / 60_000) % 60
  const seconds = (milliseconds % 60_000) / 1000
  const text = (hours > 0 ? `${hours}h` : '') + (minutes > 0 ? `${minutes}m` : '') + (seconds > 0 ? `${plainNumber(seconds)}s` : '')
  return text === '' ? '0s' : text
}

/** At most nanoseconds, never an exponent: `0.000001`, `5.25`, `12`. */
function plainNumber(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '')
}
