import type { Kind, Resource } from '../../kinds/index.ts'
import type { Key } from '../../store/index.ts'
import type { Reader } from '../informer/informer.ts'
import { kindId, referencedKindId } from '../object-key.ts'
import type { Lane } from '../queue/work-queue.ts'

/** Gives the readers of the kinds that a controller declared. */
export type Read = <T extends Resource>(kind: Kind<T>) => Reader<T>

/** Something besides the controller's own objects that makes it look at one of them. */
export type Watch = ObjectWatch | OutsideWatch

/** A kind whose objects concern the controller's, and how to get from one of them to those. */
export interface ObjectWatch {
  readonly type: 'objects'
  readonly kind: Kind
  readonly keys: (object: Resource, controlled: Kind, read: Read) => Iterable<Key>
}

/** Something outside the store that tells of changes. */
export interface OutsideWatch {
  readonly type: 'outside'
  readonly subscribe: (enqueue: (key: Key, lane?: Lane) => void) => () => void
}

/** Objects that the controller made: each concerns the object that its owner references name as its controller. */
export function owned(kind: Kind): ObjectWatch {
  return { type: 'objects', kind, keys: controllersOf }
}

/** Objects that concern others by any rule. After a change both the old and the new state are asked. */
export function mapped<T extends Resource>(kind: Kind<T>, keys: (object: T, read: Read) => Iterable<Key>): ObjectWatch {
  return { type: 'objects', kind, keys: (object, _, read) => keys(object as T, read) }
}

/**
 * Changes outside the store: an inventory, a queue, another store's informer. `subscribe` is given a function that asks for a
 * look at an object, and returns how to unsubscribe.
 */
export function outside(subscribe: OutsideWatch['subscribe']): OutsideWatch {
  return { type: 'outside', subscribe }
}

function controllersOf(object: Resource, controlled: Kind): readonly Key[] {
  const owner = object.metadata.ownerReferences?.find(reference => reference.controller === true)
  if (owner === undefined || referencedKindId(owner) !== kindId(controlled)) return []
  if (controlled.scope === 'Cluster') return [{ name: owner.name }]
  const { namespace } = object.metadata
  return namespace === undefined ? [] : [{ namespace, name: owner.name }]
}
