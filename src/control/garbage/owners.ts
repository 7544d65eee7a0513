import type { OwnerReference, Resource } from '../../kinds/index.ts'
import { hasFinalizer, isBeingDeleted } from '../finalizers.ts'

/** Kubernetes' finalizer on an object that goes only after the dependents that block it. */
export const foregroundDeletion = 'foregroundDeletion'

/** Kubernetes' finalizer on an object whose dependents are to outlive it. */
export const orphan = 'orphan'

/** The index by which an owner's dependents are found. One function for all, so that informers can be shared. */
export const ownerIndex = 'owner-uid'

/** The values of that index. */
export function ownerUids(object: Resource): readonly string[] {
  return object.metadata.ownerReferences?.map(({ uid }) => uid) ?? []
}

/** Whether an object is being deleted and waits for its dependents to go first. */
export function waitsForDependents(object: Resource): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, foregroundDeletion)
}

/** Whether an object is being deleted and its dependents are to be set free first. */
export function releasesDependents(object: Resource): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, orphan)
}

/** Whether a dependent holds back an owner that waits for its dependents. */
export function blocks(dependent: Resource, ownerUid: string): boolean {
  return dependent.metadata.ownerReferences?.some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true) ?? false
}

/** An object with other owner references. */
export function withOwners<R extends Resource>(object: R, owners: readonly OwnerReference[]): R {
  const { ownerReferences: _, ...metadata } = object.metadata
  return { ...object, metadata: owners.length === 0 ? metadata : { ...metadata, ownerReferences: owners } }
}
