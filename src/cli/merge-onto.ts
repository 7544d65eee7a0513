import type { Json } from '../kinds/index.ts'

type Fields = { readonly [key: string]: Json }

/**
 * What an object becomes when somebody applies a text to it: what the text says is so; what an earlier text said and this one no
 * longer does is removed; everything else (what the server, controllers or other people wrote) stays. Lists are replaced whole.
 */
export function mergeOnto(live: Fields, before: Fields, now: Fields): Fields {
  const merged: Record<string, Json> = { ...live }
  for (const key of Object.keys(before)) if (!(key in now)) delete merged[key]
  for (const [key, value] of Object.entries(now)) {
    const there = merged[key]
    merged[key] = isFields(value) && isFields(there) ? mergeOnto(there, fieldsOf(before[key]), value) : value
  }
  return merged
}

function fieldsOf(value: Json | undefined): Fields {
  return value !== undefined && isFields(value) ? value : {}
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
