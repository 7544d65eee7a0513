import type { Draft, Kind, Resource } from '../kinds/index.ts'
import { type Store, StoreError } from '../store/index.ts'

/** Makes an object, or replaces what an earlier attempt left in its place. */
export async function put<R extends Resource>(store: Store, kind: Kind<R>, draft: Draft<R>): Promise<void> {
  try {
    await store.create(kind, draft)
  } catch (error) {
    if (!StoreError.is(error, 'AlreadyExists')) throw error
    const { name = '', namespace } = draft.metadata
    const { metadata } = await store.get(kind, namespace === undefined ? { name } : { namespace, name })
    const { resourceVersion } = metadata
    await store.update(kind, { ...draft, metadata: { ...draft.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } })
  }
}
