import type { Kind } from '../kinds/index.ts'
import { type Registry, type Served, type Subresource, subresourceVerbs } from './served.ts'

/** A resource that is asked, not kept: it can only be created, and the answer is all that ever exists of it. */
export interface Review {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
}

/** What people may ask about themselves. */
export const reviews: readonly Review[] = [
  { group: 'authentication.k8s.io', version: 'v1', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview' },
  { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview' },
  { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview' },
]

/** The documents from which clients learn what there is. Only the plain form: it works with every client. */
export interface Discovery {
  /** The document at a path, given as its segments; undefined if there is none. */
  document(segments: readonly string[]): object | undefined
  readonly groupVersions: readonly string[]
}

/** Makes the documents once. */
export function discovery(registry: Registry): Discovery {
  const groupVersions = [...new Set([...registry.all.map(({ kind }) => kind.apiVersion), ...reviews.map(apiVersionOf)])]
  const groups = [...new Set(groupVersions.filter(one => one.includes('/')).map(one => one.split('/')[0]!))].toSorted()
  const documents = new Map<string, object>([
    ['api', { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }],
    ['apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(group => apiGroup(group, groupVersions)) }],
    ...groups.map(group => [`apis/${group}`, { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group, groupVersions) }] as const),
    ...groupVersions.map(one => [one.includes('/') ? `apis/${one}` : `api/${one}`, resourceList(one, registry)] as const),
  ])
  return { groupVersions, document: segments => documents.get(segments.join('/')) }
}

function apiGroup(group: string, groupVersions: readonly string[]) {
  const versions = groupVersions
    .filter(one => one.startsWith(`${group}/`))
    .map(groupVersion => ({ groupVersion, version: groupVersion.slice(group.length + 1) }))
  return { name: group, versions, preferredVersion: versions[0] }
}

function resourceList(groupVersion: string, registry: Registry): object {
  const kept = registry.all.filter(({ kind }) => kind.apiVersion === groupVersion).flatMap(resourcesOf)
  const asked = reviews.filter(review => apiVersionOf(review) === groupVersion).map(reviewResource)
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [...kept, ...asked] }
}

function resourcesOf({ kind, verbs, subresources }: Served): readonly object[] {
  return [
    {
      name: kind.plural,
      singularName: kind.singular,
      namespaced: kind.scope === 'Namespaced',
      kind: kind.name,
      verbs,
      ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
      ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    },
    ...subresources.map(subresource => subresourceOf(kind, subresource)),
  ]
}

function subresourceOf(kind: Kind, subresource: Subresource): object {
  const shown = subresource === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : { kind: kind.name }
  return {
    name: `${kind.plural}/${subresource}`,
    singularName: '',
    namespaced: kind.scope === 'Namespaced',
    ...shown,
    verbs: subresourceVerbs[subresource],
  }
}

function reviewResource({ plural, kind }: Review): object {
  return { name: plural, singularName: kind.toLowerCase(), namespaced: false, kind, verbs: ['create'] }
}

function apiVersionOf({ group, version }: Review): string {
  return `${group}/${version}`
}
