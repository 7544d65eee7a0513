import { AccessGrant, ClusterClaim, ClusterDeployment, ClusterPool, Namespace, Role, RoleBinding } from '../../kinds/index.ts'
import { controller, findCondition, indexed, keyOf, keyText, mapped, RewriteBrake } from '../../control/index.ts'
import type { Controller, Pass } from '../../control/index.ts'
import type { Key } from '../../store/index.ts'
import { isPoolMember } from '../cluster-namespace.ts'
import { claimOwner } from '../names.ts'
import { claimsByPool, clustersByPool, poolOfClaim } from '../pool/pool-keys.ts'
import { waitingClaims } from '../pool/links.ts'
import { grantAccess, grantName, grantNamespace } from './access.ts'
import type { ClaimSnapshot } from './claim-pass.ts'
import { lifetimeText } from './lifetime.ts'
import { awaitAssignment, expire, followCluster, hold, reportRunning, returnCluster } from './steps.ts'

/** What the controller of claims needs to know. */
export interface ClaimControllerOptions {
  /** Whether access is given by AccessGrants, too: on the embedded engine, which goes by nothing else. */
  readonly grants: boolean
}

/** Tells claims where they stand, gives their subjects access, and gives their clusters back in the end. */
export function claimController({ grants }: ClaimControllerOptions): Controller {
  const brake = new RewriteBrake()
  return controller<ClusterClaim, ClaimSnapshot>(ClusterClaim, {
    conditions: { Pending: 'False', ClusterRunning: 'True' },
    // No finalizer by the runtime: only a claim that has a cluster needs one, and gets it in the write that gives it the cluster. A write
    // before that would only get into the way of the pool.
    stepsOnDeletion: true,
    reads: [
      indexed(ClusterClaim, { byNamespace: ({ spec }) => (spec.namespace === undefined ? [] : [spec.namespace]), byPool: claimsByPool }),
      indexed(ClusterDeployment, { byPool: clustersByPool }),
    ],
    watches: [
      // The queue moves when another claim is served, and when the pool does something about it.
      mapped(ClusterClaim, (claim, read) => waitingOn(keyText(poolOfClaim(claim)), read)),
      mapped(ClusterPool, (pool, read) => [...waitingOn(keyOf(pool), read), ...livingOtherwise(pool, read)]),
      mapped(ClusterDeployment, (cluster, read) => claimsIn(cluster.metadata.namespace, read)),
      mapped(Namespace, ({ metadata }, read) => claimsIn(metadata.name, read)),
      mapped(Role, ({ metadata }, read) => (metadata.name === claimOwner ? claimsIn(metadata.namespace, read) : [])),
      mapped(RoleBinding, ({ metadata }, read) => (metadata.name === claimOwner ? claimsIn(metadata.namespace, read) : [])),
      ...(grants ? [mapped(AccessGrant, ({ metadata }, read) => claimsIn(grantNamespace(metadata.name), read))] : []),
    ],
    snapshot: ({ object, read }) => {
      const namespace = object.spec.namespace ?? ''
      const cluster = read(ClusterDeployment).get(`${namespace}/${namespace}`)
      const isMember = cluster !== undefined && isPoolMember(cluster, read(Namespace).get(namespace))
      return {
        pool: read(ClusterPool).get(keyText(poolOfClaim(object))),
        cluster: isMember ? cluster : undefined,
        role: read(Role).get(`${namespace}/${claimOwner}`),
        binding: read(RoleBinding).get(`${namespace}/${claimOwner}`),
        grant: grants ? read(AccessGrant).get(grantName(namespace)) : undefined,
        grants,
        brake,
      }
    },
    steps: [returnCluster, awaitAssignment, hold, expire, followCluster, grantAccess, reportRunning],
  })
}

type Read = Pass<ClusterClaim>['read']

function waitingOn(pool: string, read: Read): readonly Key[] {
  return waitingClaims(read(ClusterClaim).byIndex('byPool', pool)).map(keyFor)
}

/** The claims whose lifetime the pool has changed. */
function livingOtherwise(pool: ClusterPool, read: Read): readonly Key[] {
  const claims = read(ClusterClaim).byIndex('byPool', keyOf(pool))
  return claims
    .filter(claim => findCondition(claim, 'Pending')?.status === 'False' && claim.status?.lifetime !== lifetimeText(claim, pool))
    .map(keyFor)
}

function claimsIn(namespace: string | undefined, read: Read): readonly Key[] {
  return read(ClusterClaim)
    .byIndex('byNamespace', namespace ?? '')
    .map(keyFor)
}

function keyFor({ metadata }: ClusterClaim): Key {
  return { namespace: metadata.namespace ?? '', name: metadata.name }
}
