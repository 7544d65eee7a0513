import type { Kind } from '../../kinds/index.ts'

/** How a strategic merge patch treats a list: as a set of plain values, or as objects told apart by one field. */
export type ListPolicy = { readonly kind: 'set' } | { readonly kind: 'map'; readonly key: string }

const set: ListPolicy = { kind: 'set' }
const by = (key: string): ListPolicy => ({ kind: 'map', key })

/** As Kubernetes declares them on its own kinds; under the empty name those of every kind. Other lists are replaced as a whole. */
const byKind: Readonly<Record<string, Readonly<Record<string, ListPolicy>>>> = {
  '': { 'metadata.finalizers': set, 'metadata.ownerReferences': by('uid') },
  Namespace: { 'status.conditions': by('type') },
  Node: { 'spec.podCIDRs': set, 'status.conditions': by('type'), 'status.addresses': by('type') },
}

const longestPath = Math.max(...Object.values(byKind).flatMap(paths => Object.keys(paths).map(path => path.length)))

/** The lists of a kind that are merged, by their paths; those of every kind under the empty name. */
export function listPoliciesOf(kindName: string): readonly (readonly [string, ListPolicy])[] {
  return Object.entries(byKind[kindName] ?? {})
}

/** Finds the policy of a list by its path, for one kind; undefined: it is replaced as a whole. */
export function listPolicies(kind: Pick<Kind, 'name'>): (path: string) => ListPolicy | undefined {
  const own = byKind[kind.name] ?? {}
  // A longer path is none of these; it is not compared, because a patch may nest long keys.
  return path => (path.length > longestPath ? undefined : (byKind['']![path] ?? own[path]))
}
