import { isDeepStrictEqual } from 'node:util'
import { AccessGrant, Role, RoleBinding } from '../../kinds/index.ts'
import type { ClusterClaim, ClusterDeployment, Draft, Kind, Resource } from '../../kinds/index.ts'
import { next } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import { type Key, type Store, undefinedIf } from '../../store/index.ts'
import { adminSecrets } from '../cluster/cluster-pass.ts'
import { claimOwner, rbacGroup } from '../names.ts'
import type { ClaimPass } from './claim-pass.ts'

/** The name of a cluster's grant on the embedded engine. */
export function grantName(namespace: string): string {
  return `${claimOwner}-${namespace}`
}

/** The cluster's namespace, if the name is that of such a grant. */
export function grantNamespace(name: string): string | undefined {
  return name.startsWith(`${claimOwner}-`) ? name.slice(claimOwner.length + 1) : undefined
}

/**
 * Lets the claim's subjects into the cluster's namespace: by a Role and its binding, which a Kubernetes cluster goes by, and on the
 * embedded engine by an AccessGrant, which that one goes by. What somebody changed or deleted is put right.
 */
export async function grantAccess(pass: ClaimPass): Promise<Step<ClusterClaim>> {
  const { object, cluster, role, binding, grant, grants, store } = pass
  const subjects = object.spec.subjects ?? []
  if (cluster === undefined) return next
  const namespace = cluster.metadata.namespace ?? ''
  if (subjects.length === 0) {
    await revokeAccess(namespace, pass)
    return next
  }
  const wanted = { rules: claimOwnerRules(cluster) }
  if (role === undefined) await create(store, Role, { metadata: { name: claimOwner, namespace }, ...wanted })
  else if (!isDeepStrictEqual(role.rules, wanted.rules)) await store.update(Role, { ...role, ...wanted })
  await bind(store, namespace, binding, subjects)
  if (!grants) return next
  const people = subjects
    .filter(({ kind }) => kind !== 'ServiceAccount')
    .map(({ kind, name }) => ({ kind: kind as 'User' | 'Group', name }))
  const spec = { subjects: people, rules: wanted.rules.map(grantRule), namespaces: [namespace] }
  if (people.length === 0) {
    if (grant !== undefined) await remove(store, AccessGrant, { name: grantName(namespace) })
  } else if (grant === undefined) await create(store, AccessGrant, { metadata: { name: grantName(namespace) }, spec })
  else if (!isDeepStrictEqual(grant.spec, spec)) await store.update(AccessGrant, { ...grant, spec })
  return next
}

/** A rule of a Role as a grant has it: the same words, and none left out. */
function grantRule({ apiGroups = [], resources = [], resourceNames, verbs }: NonNullable<Role['rules']>[number]) {
  return { apiGroups, resources, verbs, ...(resourceNames === undefined ? {} : { resourceNames }) }
}

async function bind(
  store: Store,
  namespace: string,
  binding: RoleBinding | undefined,
  given: NonNullable<ClusterClaim['spec']['subjects']>,
): Promise<void> {
  // A real API server fills in the group of users and groups; written here, what is read is what was written.
  const subjects = given.map(subject =>
    subject.kind === 'ServiceAccount' ? subject : { ...subject, apiGroup: subject.apiGroup ?? rbacGroup },
  )
  const roleRef = { apiGroup: rbacGroup, kind: 'Role', name: claimOwner }
  const draft = { metadata: { name: claimOwner, namespace }, subjects, roleRef }
  if (binding === undefined) return create(store, RoleBinding, draft)
  if (!isDeepStrictEqual(binding.roleRef, roleRef)) {
    // What a binding refers to cannot be changed.
    await remove(store, RoleBinding, { namespace, name: claimOwner })
    return create(store, RoleBinding, draft)
  }
  if (!isDeepStrictEqual(binding.subjects, subjects)) await store.update(RoleBinding, { ...binding, subjects })
}

/**
 * What the subjects of a claim may do. Not `*`: that would cover status, which controllers believe, and further ClusterDeployments, which
 * could name any Secret beside the cluster. The Secrets are those that the installation wrote, whatever the spec refers to.
 */
function claimOwnerRules(cluster: ClusterDeployment): NonNullable<Role['rules']> {
  const { kubeconfig, password } = adminSecrets(cluster)
  const apiGroups = ['hive.openshift.io']
  return [
    { apiGroups, resources: ['clusterdeployments'], verbs: [...readVerbs, 'update', 'patch', 'delete'] },
    { apiGroups, resources: ['clusterprovisions', 'clusterdeprovisions', 'clusterdeploymentcustomizations'], verbs: [...readVerbs] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: [kubeconfig, password], verbs: ['get'] },
  ]
}

const readVerbs = ['get', 'list', 'watch'] as const

/** Takes back what `grantAccess` gave. */
export async function revokeAccess(namespace: string, { store, role, binding, grant }: ClaimPass): Promise<void> {
  if (binding !== undefined) await remove(store, RoleBinding, { namespace, name: claimOwner })
  if (role !== undefined) await remove(store, Role, { namespace, name: claimOwner })
  if (grant !== undefined) await remove(store, AccessGrant, { name: grantName(namespace) })
}

async function create<R extends Resource>(store: Store, kind: Kind<R>, draft: Draft<R>): Promise<void> {
  await store.create(kind, draft).catch(undefinedIf('AlreadyExists'))
}

async function remove<R extends Resource>(store: Store, kind: Kind<R>, key: Key): Promise<void> {
  await store.delete(kind, key).catch(undefinedIf('NotFound'))
}
