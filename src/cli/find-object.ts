import type { Kind, Resource } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'
import type { Connection } from './connection.ts'

/** Gets an object that a person named. If there is none, but others of that name in other namespaces, the error says in which. */
export async function findObject({ store, where, namespace }: Connection, kind: Kind, name: string): Promise<Resource> {
  try {
    return await store.get(kind, { ...where(kind), name })
  } catch (error) {
    if (!StoreError.is(error, 'NotFound') || kind.scope === 'Cluster') throw error
    const places = await placesOf(store, kind, name)
    if (places.length === 0) throw error
    const fix = `${places.length === 1 ? 'there is one' : 'there are some'} in ${places.join(', ')}: choose with -n NAMESPACE`
    throw new StoreError('NotFound', `${error.message} in namespace ${namespace}`, { fix, cause: error })
  }
}

/** The namespaces that have an object of that name. None if we may not look: the first error says enough then. */
async function placesOf(store: Connection['store'], kind: Kind, name: string): Promise<readonly string[]> {
  try {
    const { items } = await store.list(kind, { fieldSelector: `metadata.name=${name}`, limit: 5 })
    return items.flatMap(({ object }) => object.metadata.namespace ?? [])
  } catch {
    return []
  }
}
