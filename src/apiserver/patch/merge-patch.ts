import type { Json } from '../../kinds/index.ts'

/**
 * Applies an RFC 7396 merge patch: objects are merged, null removes, everything else replaces. Neither argument is changed.
 * Built from entries, not by assignment, so that a key like `__proto__` is a key like any other.
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const result = new Map<string, Json>(isObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key)
    else result.set(key, applyMergePatch(result.get(key), value))
  }
  return Object.fromEntries(result)
}

/** Whether a value is an object and not a list. */
export function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
