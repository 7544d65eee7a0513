import type * as z from 'zod'

/** Marks a list whose items are told apart by some of their fields: two with the same are refused, and a patch merges by them. */
export function listMap<T extends z.ZodArray<z.ZodObject>>(list: T, ...keys: readonly string[]): T {
  return list.meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys })
}

/** Marks a list in which nothing stands twice. */
export function listSet<T extends z.ZodArray>(list: T): T {
  return list.meta({ 'x-kubernetes-list-type': 'set' })
}
