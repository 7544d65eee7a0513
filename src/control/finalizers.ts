import type { Resource } from '../kinds/index.ts'

/** Whether an object carries a finalizer. */
export function hasFinalizer(object: Resource, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false
}

/** The object with a finalizer; the very same object if it has it. */
export function withFinalizer<R extends Resource>(object: R, finalizer: string): R {
  if (hasFinalizer(object, finalizer)) return object
  return { ...object, metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] } }
}

/** The object without a finalizer; the very same object if it has none of that name. */
export function withoutFinalizer<R extends Resource>(object: R, finalizer: string): R {
  if (!hasFinalizer(object, finalizer)) return object
  const { finalizers: before = [], ...metadata } = object.metadata
  const finalizers = before.filter(name => name !== finalizer)
  return { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } }
}

/** Whether somebody asked for the object's deletion. */
export function isBeingDeleted(object: Resource): boolean {
  return object.metadata.deletionTimestamp !== undefined
}
