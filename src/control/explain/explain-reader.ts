import type { Kind, Resource } from '../../kinds/index.ts'
import { type Store, undefinedIf } from '../../store/index.ts'
import { ownerUids } from '../garbage/owners.ts'
import type { ObjectName } from './explanation.ts'

/** What `explain` needs to look up. */
export interface ExplainReader {
  /** Whether a word is the name of a kind that can be looked up. */
  isKind(name: string): boolean
  /** Undefined if there is no such object. */
  get(object: ObjectName): Promise<Resource | undefined>
  /** The objects that name this one as their owner. */
  dependents(object: Resource): Promise<readonly Resource[]>
}

/**
 * Looks things up in a store, for one explanation: what was listed is remembered. `kinds` are those that may be followed; each
 * costs one list when dependents are looked for.
 */
export function storeReader(store: Store, kinds: readonly Kind[]): ExplainReader {
  const lists = new Map<string, Promise<ReadonlyMap<string, readonly Resource[]>>>()
  return {
    isKind: name => kinds.some(kind => kind.name === name),
    get: async ({ kind: kindName, apiVersion, namespace, name }) => {
      const kind = kinds.find(each => each.name === kindName && (apiVersion === undefined || each.apiVersion === apiVersion))
      if (kind === undefined) return undefined
      const isNamespaced = kind.scope === 'Namespaced' && namespace !== undefined
      return await store.get(kind, isNamespaced ? { namespace, name } : { name }).catch(undefinedIf('NotFound'))
    },
    dependents: async ({ metadata: { uid = '', namespace } }) => {
      const place = namespace ?? ''
      if (!lists.has(place)) lists.set(place, byOwner(store, kinds, namespace))
      return (await lists.get(place))?.get(uid) ?? []
    },
  }
}

/** The objects of a namespace, or all, by the uids of their owners. */
async function byOwner(
  store: Store,
  kinds: readonly Kind[],
  namespace: string | undefined,
): Promise<ReadonlyMap<string, readonly Resource[]>> {
  // What lives in a namespace can only own what lives in the same one.
  const candidates = namespace === undefined ? kinds : kinds.filter(({ scope }) => scope === 'Namespaced')
  const pages = await Promise.all(candidates.map(kind => store.list(kind, namespace === undefined ? {} : { namespace })))
  const owned = new Map<string, Resource[]>()
  for (const { object } of pages.flatMap(({ items }) => items)) {
    for (const uid of ownerUids(object)) {
      const others = owned.get(uid)
      if (others === undefined) owned.set(uid, [object])
      else others.push(object)
    }
  }
  return owned
}
