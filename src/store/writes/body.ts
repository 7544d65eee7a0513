import type { ObjectMeta, Resource, Writable } from '../../kinds/index.ts'
import { same } from './same.ts'

/** An object whose kind is known only at run time. */
export type Body = Resource & { readonly spec?: unknown; readonly status?: unknown; readonly [field: string]: unknown }

/** What the store alone decides about an object. */
export type SystemMetadata = Pick<
  ObjectMeta,
  'uid' | 'resourceVersion' | 'generation' | 'creationTimestamp' | 'deletionTimestamp' | 'deletionGracePeriodSeconds'
>

/** What the user decides, with what the store decides, in the order in which Kubernetes prints it. Empty lists and maps vanish. */
export function metadataOf(own: ObjectMeta, system: SystemMetadata): ObjectMeta {
  // Field by field: this is on the way of every write, and spreading would make a dozen objects for each.
  const metadata: Writable<ObjectMeta> = { name: own.name }
  if (own.generateName !== undefined && own.generateName !== '') metadata.generateName = own.generateName
  if (own.namespace !== undefined && own.namespace !== '') metadata.namespace = own.namespace
  if (system.uid !== undefined) metadata.uid = system.uid
  if (system.resourceVersion !== undefined) metadata.resourceVersion = system.resourceVersion
  if (system.generation !== undefined) metadata.generation = system.generation
  if (system.creationTimestamp !== undefined) metadata.creationTimestamp = system.creationTimestamp
  if (system.deletionTimestamp !== undefined) metadata.deletionTimestamp = system.deletionTimestamp
  if (system.deletionGracePeriodSeconds !== undefined) metadata.deletionGracePeriodSeconds = system.deletionGracePeriodSeconds
  if (hasContent(own.labels)) metadata.labels = own.labels
  if (hasContent(own.annotations)) metadata.annotations = own.annotations
  if (hasContent(own.ownerReferences)) metadata.ownerReferences = own.ownerReferences
  if (hasContent(own.finalizers)) metadata.finalizers = own.finalizers
  return metadata
}

function hasContent<T extends object>(value: T | undefined): value is T {
  if (value !== undefined) for (const _ in value) return true
  return false
}

/** Whether two states agree in all that generation counts: everything but metadata and, if it is written apart, status. */
export function sameWish(a: Body, b: Body, hasStatus: boolean): boolean {
  const counts = (field: string) => field !== 'metadata' && !(hasStatus && field === 'status')
  for (const field in a) if (counts(field) && !same(a[field], b[field])) return false
  for (const field in b) if (counts(field) && !(field in a)) return false
  return true
}

/** The same object with another revision on it. */
export function atRevision(body: Body, revision: number): Body {
  return { ...body, metadata: { ...body.metadata, resourceVersion: String(revision) } }
}
