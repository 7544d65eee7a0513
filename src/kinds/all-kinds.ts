import { AccessGrant } from './access-grant.ts'
import { AccessToken } from './access-token.ts'
import { ClusterClaim } from './cluster-claim.ts'
import { ClusterDeployment } from './cluster-deployment.ts'
import { ClusterDeploymentCustomization } from './cluster-deployment-customization.ts'
import { ClusterDeprovision } from './cluster-deprovision.ts'
import { ClusterImageSet } from './cluster-image-set.ts'
import { ClusterPool } from './cluster-pool.ts'
import { ClusterProvision } from './cluster-provision.ts'
import { AddressLease } from './address-lease.ts'
import { ConfigMap } from './config-map.ts'
import { CustomResourceDefinition } from './custom-resource-definition.ts'
import { Event } from './event.ts'
import type { Kind } from './kind.ts'
import { Lease } from './lease.ts'
import { Namespace } from './namespace.ts'
import { Nest } from './nest.ts'
import { Node } from './node.ts'
import { Role } from './role.ts'
import { RoleBinding } from './role-binding.ts'
import { Secret } from './secret.ts'
import { Spawn } from './spawn.ts'

/** Every kind there is. To add one, write its file and name it here. */
export const allKinds: readonly Kind[] = Object.freeze([
  Namespace,
  ConfigMap,
  Secret,
  Event,
  Lease,
  Node,
  CustomResourceDefinition,
  Role,
  RoleBinding,
  AccessGrant,
  AccessToken,
  AddressLease,
  Spawn,
  Nest,
  ClusterImageSet,
  ClusterPool,
  ClusterClaim,
  ClusterDeployment,
  ClusterDeploymentCustomization,
  ClusterProvision,
  ClusterDeprovision,
])

/** The kind that an object says it is of, among those given. */
export function findKind(kinds: readonly Kind[], apiVersion: string, kindName: string): Kind | undefined {
  return kinds.find(kind => kind.name === kindName && kind.apiVersion === apiVersion)
}
