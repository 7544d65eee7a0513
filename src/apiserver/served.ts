import type { Kind } from '../kinds/index.ts'
import type { Store } from '../store/index.ts'

/** A kind that the server offers, and where its objects are. */
export interface Served {
  readonly kind: Kind
  /** Opened when first asked for: definitions, which nobody may ever want, are expensive to make. */
  open(): Store | Promise<Store>
  /** What may be asked of it; a kind that cannot be written has only get, list and watch. */
  readonly verbs: readonly string[]
  readonly subresources: readonly Subresource[]
}

/** A part of an object, or a view of it, with a path of its own. */
export type Subresource = keyof typeof subresourceVerbs

/** What may be asked of each subresource. */
export const subresourceVerbs = {
  status: ['get', 'patch', 'update'],
  scale: ['get', 'patch', 'update'],
  finalize: ['update'],
} as const

/** What the server offers, by group, version and plural. */
export interface Registry {
  readonly all: readonly Served[]
  find(group: string, version: string, plural: string): Served | undefined
}

const readVerbs = ['get', 'list', 'watch']
const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
/** As in Kubernetes: nobody deletes all namespaces with one request, and all that is in them. */
const namespaceVerbs = allVerbs.filter(verb => verb !== 'deletecollection')

/** Makes the registry: `kinds` from the store; `definitions`, which cannot be written, from theirs. */
export function registry(kinds: readonly Kind[], store: Store, definitions: Pick<Served, 'kind' | 'open'>): Registry {
  const written = kinds.filter(kind => kind.name !== definitions.kind.name || kind.group !== definitions.kind.group)
  const all: readonly Served[] = [
    ...written.map(kind => ({
      kind,
      open: () => store,
      verbs: isNamespace(kind) ? namespaceVerbs : allVerbs,
      subresources: subresourcesOf(kind),
    })),
    { ...definitions, verbs: readVerbs, subresources: [] },
  ]
  const byPath = new Map(all.map(served => [`${served.kind.apiVersion}/${served.kind.plural}`, served]))
  return { all, find: (group, version, plural) => byPath.get(group === '' ? `${version}/${plural}` : `${group}/${version}/${plural}`) }
}

function subresourcesOf(kind: Kind): Served['subresources'] {
  return [
    ...(kind.hasStatus ? (['status'] as const) : []),
    ...(kind.scale === undefined ? [] : (['scale'] as const)),
    ...(isNamespace(kind) ? (['finalize'] as const) : []),
  ]
}

function isNamespace(kind: Kind): boolean {
  return kind.name === 'Namespace' && kind.group === ''
}
