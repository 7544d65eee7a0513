import type { Kind, Resource } from '../kinds/index.ts'
import { type Key, type Store, StoreError } from '../store/index.ts'

const mostTries = 5

/** Changes an object that a controller may be writing to at the same moment: what was written in between is read, and kept. */
export async function editObject<R extends Resource>(store: Store, kind: Kind<R>, key: Key, change: (object: R) => R): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await store.update(kind, change(await store.get(kind, key)))
      return
    } catch (error) {
      if (!StoreError.is(error, 'Conflict') || tried === mostTries) throw error
    }
  }
}
