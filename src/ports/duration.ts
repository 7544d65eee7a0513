import { DurationNotValid } from './errors.ts'

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
