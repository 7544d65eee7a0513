import { isDeepStrictEqual } from 'node:util'
import { ClusterPool, Namespace, RoleBinding } from '../../kinds/index.ts'
import { controller, indexed, isBeingDeleted, keyOf, mapped, next } from '../../control/index.ts'
import type { Controller, Pass, Step } from '../../control/index.ts'
import type { Key } from '../../store/index.ts'
import { StoreError } from '../../store/index.ts'
import { poolNameLabel, poolNamespaceLabel, rbacGroup } from '../names.ts'

/** Whoever is bound to this ClusterRole in a pool's namespace administers the pool's clusters. */
export const adminRole = 'hive-cluster-pool-admin'

/** The binding that gives them access to a cluster's namespace. */
export const adminBinding = 'hive-cluster-pool-admin-binding'

/** Gives the administrators of a pool access to the namespaces of its clusters, and takes it away when they no longer are. */
export function poolAdmins(): Controller {
  return controller(ClusterPool, {
    name: 'pool-admins',
    reads: [indexed(Namespace, { byPool: poolsOf })],
    watches: [
      mapped(Namespace, namespace => poolsOf(namespace).map(keyFrom)),
      mapped(RoleBinding, ({ metadata }, read) => {
        const namespace = metadata.namespace ?? ''
        if (metadata.name !== adminBinding) return read(ClusterPool).list(namespace).map(keyFor)
        const home = read(Namespace).get(namespace)
        return home === undefined ? [] : poolsOf(home).map(keyFrom)
      }),
    ],
    steps: [bindAdmins],
  })
}

async function bindAdmins({ object: pool, read, store }: Pass<ClusterPool>): Promise<Step<ClusterPool>> {
  const bindings = read(RoleBinding)
  const admins = bindings
    .list(pool.metadata.namespace)
    .filter(({ roleRef }) => roleRef.kind === 'ClusterRole' && roleRef.name === adminRole)
  const subjects = admins.filter(({ metadata }) => metadata.name !== adminBinding).flatMap(binding => binding.subjects ?? [])
  const roleRef = { apiGroup: rbacGroup, kind: 'ClusterRole', name: adminRole }
  for (const namespace of read(Namespace).byIndex('byPool', keyOf(pool))) {
    if (isBeingDeleted(namespace)) continue
    const key = { namespace: namespace.metadata.name, name: adminBinding }
    const there = bindings.get(`${key.namespace}/${key.name}`)
    try {
      if (subjects.length === 0) {
        if (there !== undefined) await store.delete(RoleBinding, key)
      } else if (there === undefined) await store.create(RoleBinding, { metadata: key, subjects, roleRef })
      else if (!isDeepStrictEqual(there.roleRef, roleRef)) {
        // What a binding refers to cannot be changed.
        await store.delete(RoleBinding, key)
        await store.create(RoleBinding, { metadata: key, subjects, roleRef })
      } else if (!isDeepStrictEqual(there.subjects, subjects)) await store.update(RoleBinding, { ...there, subjects })
    } catch (error) {
      if (!StoreError.is(error, 'AlreadyExists', 'NotFound')) throw error
    }
  }
  return next
}

function poolsOf({ metadata: { labels = {} } }: Namespace): readonly string[] {
  const [namespace, name] = [labels[poolNamespaceLabel], labels[poolNameLabel]]
  return namespace === undefined || name === undefined ? [] : [`${namespace}/${name}`]
}

function keyFrom(text: string): Key {
  const [namespace = '', name = ''] = text.split('/')
  return { namespace, name }
}

function keyFor({ metadata }: ClusterPool): Key {
  return { namespace: metadata.namespace ?? '', name: metadata.name }
}
