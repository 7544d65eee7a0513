import type { Kind, Resource } from '../kinds/index.ts'
import { fieldSelectorValue, type Key, StoreError } from '../store/index.ts'
import type { Connection } from './connection.ts'

/** Gets an object that a person named. If there is none, but others of that name in other namespaces, the error says in which. */
export async function findObject({ store, where, namespace }: Connection, kind: Kind, name: string): Promise<Resource> {
  try {
    return await store.get(kind, { ...where(kind), name })
  } catch (error) {
    if (!StoreError.is(error, 'NotFound')) throw error
    const places = kind.scope === 'Cluster' ? [] : await placesOf(store, kind, name)
    if (places.length === 0) return showOthers(kind, where(kind))(error)
    const fix = `${places.length === 1 ? 'there is one' : 'there are some'} in ${places.join(', ')}: choose with -n NAMESPACE`
    throw new StoreError('NotFound', `${error.message} in namespace ${namespace}`, { fix, cause: error })
  }
}

/** Throws an error again, but that of an object that is not there with the way to see which are: for `catch`. */
export function showOthers({ plural }: Kind, { namespace }: Partial<Key>): (error: unknown) => never {
  return error => {
    if (!StoreError.is(error, 'NotFound')) throw error
    const place = namespace === undefined ? '' : ` -n ${namespace}`
    throw new StoreError('NotFound', error.message, { fix: `see which there are with: aviary get ${plural}${place}`, cause: error })
  }
}

/** The namespaces that have an object of that name. None if we may not look: the first error says enough then. */
async function placesOf(store: Connection['store'], kind: Kind, name: string): Promise<readonly string[]> {
  try {
    const { items } = await store.list(kind, { fieldSelector: `metadata.name=${fieldSelectorValue(name)}`, limit: 5 })
    return items.flatMap(({ object }) => object.metadata.namespace ?? [])
  } catch {
    return []
  }
}
