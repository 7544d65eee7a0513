import type { Kind, ObjectMeta, Resource } from '../../kinds/index.ts'
import { deepFreeze } from '../stored.ts'

/** An object as a server may send it: the items of a list of built-in kinds do not say what they are. */
type Sent = Partial<Resource> & { readonly metadata: ObjectMeta }

/**
 * The object that a server sent, completed, frozen, and without `managedFields`: nobody here reads them, they are up to half of
 * an object's size, and the server takes an update without them to mean "as they were".
 */
export function received<R extends Resource>(kind: Kind<R>, sent: Sent): R {
  const { managedFields: _, ...metadata } = sent.metadata
  const { apiVersion = kind.apiVersion, kind: name = kind.name } = sent
  return deepFreeze({ ...sent, apiVersion, kind: name, metadata }) as unknown as R
}
