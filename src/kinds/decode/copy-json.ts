import { invalidOmitted } from './problems.ts'
import type { Reading } from './reading.ts'

/** Deeper than anybody means, and far from where a walk would run out of stack. */
export const deepest = 200

/** A copy of a value that the schema leaves alone. What JSON cannot say is left out; what is nested absurdly deep is refused. */
export function copyJson(value: unknown, reading: Reading, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return isJsonScalar(value) ? value : undefined
  if (depth > deepest) {
    const rule = `must not be nested deeper than ${deepest} levels`
    reading.problem(invalidOmitted(reading.path(), rule, 'flatten it, or store it as a text'))
    return undefined
  }
  if (Array.isArray(value)) return value.map(inner => copyJson(inner, reading, depth + 1) ?? null)
  const result: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    const copy = copyJson(inner, reading, depth + 1)
    if (copy !== undefined) setField(result, key, copy)
  }
  return result
}

function isJsonScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

/** Whether a value is what JSON calls an object. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sets a field whatever its name is: `__proto__` from outside is a field like any other. */
export function setField(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
