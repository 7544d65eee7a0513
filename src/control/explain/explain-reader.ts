import { type Kind, type Resource, Secret } from '../../kinds/index.ts'
import { KindNotServed, qualified, type Store, StoreError, undefinedIf } from '../../store/index.ts'
import { ownerUids } from '../garbage/owners.ts'
import type { ObjectName } from './explanation.ts'

/** What `explain` needs to look up. */
export interface ExplainReader {
  /** Whether objects of a kind live in namespaces; undefined if it is no kind that can be looked up. */
  scopeOf(kind: Pick<ObjectName, 'kind' | 'apiVersion'>): Kind['scope'] | undefined
  /** Undefined if there is no such object; `unseen` if nobody lets us look. */
  get(object: ObjectName): Promise<Resource | 'unseen' | undefined>
  /** The objects that name this one as their owner, as far as we may look. */
  dependents(object: Resource): Promise<readonly Resource[]>
  /** The kinds that could not be looked at until now: `secrets`. What is there of them is missing in the answers. */
  unseen(): readonly string[]
}

/**
 * Looks things up in a store, for one explanation: what was listed is remembered. `kinds` are those that may be followed; each
 * costs one list when dependents are looked for. Who asks may see only some of them: what is closed to them is left out and said.
 */
export function storeReader(store: Store, kinds: readonly Kind[]): ExplainReader {
  const lists = new Map<string, Promise<ReadonlyMap<string, readonly Resource[]>>>()
  const closed = new Set<string>()
  const ifClosed = <T>(kind: Kind, instead: T) => {
    return (error: unknown): T => {
      if (!StoreError.is(error, 'Forbidden') && !(error instanceof KindNotServed)) throw error
      closed.add(qualified(kind))
      return instead
    }
  }
  const objectsOf = async (kind: Kind, namespace: string | undefined): Promise<readonly Resource[]> => {
    const { items } = await store.list(kind, namespace === undefined ? {} : { namespace })
    return items.map(({ object }) => object)
  }
  const ownedIn = async (namespace: string | undefined) => {
    const candidates = possibleDependents(kinds, namespace)
    return byOwner((await Promise.all(candidates.map(kind => objectsOf(kind, namespace).catch(ifClosed(kind, []))))).flat())
  }
  const kindOf = ({ kind, apiVersion }: Pick<ObjectName, 'kind' | 'apiVersion'>) =>
    kinds.find(each => each.name === kind && (apiVersion === undefined || each.apiVersion === apiVersion))
  return {
    scopeOf: name => kindOf(name)?.scope,
    get: async ({ namespace, name, ...named }) => {
      const kind = kindOf(named)
      if (kind === undefined || (kind.scope === 'Namespaced' && namespace === undefined)) return undefined
      const key = kind.scope === 'Cluster' || namespace === undefined ? { name } : { namespace, name }
      const found = store.get(kind, key).catch(undefinedIf('NotFound'))
      return await found.catch(ifClosed(kind, 'unseen' as const))
    },
    dependents: async ({ metadata: { uid = '', namespace } }) => {
      const place = namespace ?? ''
      if (!lists.has(place)) lists.set(place, ownedIn(namespace))
      return (await lists.get(place))?.get(uid) ?? []
    },
    unseen: () => [...closed].toSorted(),
  }
}

/**
 * The kinds of what an object may own. What lives in a namespace owns only what lives in the same one. What lives in none is looked
 * for only among its like: it might own something in any namespace, but nothing here does, and to find out would mean to read all
 * that there is. Secrets say nothing about themselves, and a list of them is a list of what they hide.
 */
function possibleDependents(kinds: readonly Kind[], namespace: string | undefined): readonly Kind[] {
  const scope = namespace === undefined ? 'Cluster' : 'Namespaced'
  return kinds.filter(kind => kind.scope === scope && kind !== Secret)
}

/** Objects by the uids of their owners. */
function byOwner(objects: readonly Resource[]): ReadonlyMap<string, readonly Resource[]> {
  const owned = new Map<string, Resource[]>()
  for (const object of objects) {
    for (const uid of ownerUids(object)) {
      const others = owned.get(uid)
      if (others === undefined) owned.set(uid, [object])
      else others.push(object)
    }
  }
  return owned
}
