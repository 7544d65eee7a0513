import type { Kind, Resource } from '../../kinds/index.ts'
import type { Selection, Store } from '../../store/index.ts'
import { keyOf } from '../object-key.ts'

/** All objects of a kind at one moment, read in pages so that no answer grows with the fleet. */
export async function readAll<R extends Resource>(
  store: Store,
  kind: Kind<R>,
  selection: Selection,
  signal: AbortSignal,
): Promise<{ readonly objects: ReadonlyMap<string, R>; readonly revision: string }> {
  const objects = new Map<string, R>()
  let next: string | undefined
  for (;;) {
    const page = await store.list(kind, { ...selection, limit: 500, signal, ...(next === undefined ? {} : { continue: next }) })
    for (const { object } of page.items) objects.set(keyOf(object), object)
    if (page.continue === undefined) return { objects, revision: page.resourceVersion }
    next = page.continue
  }
}
