import type { Kind, Resource } from '../kinds/index.ts'
import { type Store, undefinedIf } from '../store/index.ts'

/** An object, or undefined if there is none of that name. */
export function find<R extends Resource>(store: Store, kind: Kind<R>, namespace: string | undefined, name: string): Promise<R | undefined> {
  return store.get(kind, namespace === undefined ? { name } : { namespace, name }).catch(undefinedIf('NotFound'))
}
