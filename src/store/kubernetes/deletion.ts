import type { Kind, ObjectMeta, Resource } from '../../kinds/index.ts'
import type { DeleteOptions, Deletion } from '../store.ts'
import { received } from './received.ts'
import { isStatus } from './status-error.ts'

/** The options of a deletion of `object`; with `exactly` it is refused if the object has changed since. */
export function deletionBody({ metadata }: Resource, options: DeleteOptions, exactly: boolean): string {
  const { propagation, dryRun = false } = options
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    preconditions: { uid: metadata.uid, resourceVersion: exactly ? metadata.resourceVersion : options.resourceVersion },
    ...(dryRun ? { dryRun: ['All'] } : {}),
  })
}

/**
 * What a server's answer to a deletion means. It says Success, or gives the object back: as it was, if it is gone, or with a
 * deletion timestamp and with what it waits for.
 */
export function deletionOf<R extends Resource>(kind: Kind<R>, before: R, answer: object): Deletion<R> {
  if (isStatus(answer)) return { object: before, gone: true }
  const object = received(kind, answer as { metadata: ObjectMeta })
  return { object, gone: !waits(object) }
}

function waits(object: Resource & { readonly spec?: { readonly finalizers?: readonly string[] } }): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata
  if (deletionTimestamp === undefined) return false
  // Namespaces have finalizers of their own in the spec; pods a time to end in.
  return finalizers.length > 0 || (object.spec?.finalizers ?? []).length > 0 || deletionGracePeriodSeconds > 0
}
