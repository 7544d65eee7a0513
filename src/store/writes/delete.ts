import type { Clock } from '../../ports/index.ts'
import { isoTime } from '../../ports/index.ts'
import type { Kind } from '../../kinds/index.ts'
import { type Batch } from '../embedded/batch.ts'
import type { Collection } from '../embedded/collection.ts'
import { keyOf } from '../embedded/version.ts'
import { notFound, qualified, StoreError } from '../errors.ts'
import type { DeleteOptions, Key } from '../store.ts'
import { atRevision, type Body, metadataOf } from './body.ts'
import { checkMortal, isNamespaceKind, terminating } from './namespaces.ts'
import { same } from './same.ts'
import { isReleased } from './update.ts'

/** The finalizers by which a deletion tells the garbage collector what to do with what the object owns. */
const waitForDependents = 'foregroundDeletion'
const leaveDependents = 'orphan'

/** What a deletion comes to. */
export interface Deleted {
  readonly object: Body
  readonly gone: boolean
}

/** What is to be done when the deletion's turn comes. Throws Forbidden at once for what must not be deleted. */
export function remove(collection: Collection, target: Key, options: DeleteOptions, clock: Clock): (batch: Batch) => Deleted {
  const kind = collection.kind!
  checkMortal(kind, target.name)
  const key = keyOf(kind, target)

  return batch => {
    const found = batch.read(collection, key)
    if (found === undefined) throw notFound(kind, target.name)
    const old = found.stored.object as Body
    checkPreconditions(kind, old, options)
    checkDeletable(kind, old)
    const marked = mark(kind, old, options.propagation, clock)
    const gone = isReleased(kind, marked)
    if (!gone && same(marked, old)) return { object: old, gone }
    if (options.dryRun === true) return { object: gone ? old : marked, gone }
    const object = atRevision(gone ? old : marked, batch.revision)
    if (gone) batch.remove(collection, key)
    else batch.put(collection, key, object)
    return { object, gone }
  }
}

/** The object with its deletion begun; what holds it decides whether that is also its end. */
function mark(kind: Kind, old: Body, propagation: DeleteOptions['propagation'], clock: Clock): Body {
  const own = { ...old.metadata, finalizers: finalizersFor(old.metadata.finalizers ?? [], propagation) }
  const { deletionTimestamp, generation } = old.metadata
  if (deletionTimestamp !== undefined) return { ...old, metadata: metadataOf(own, old.metadata) }
  const begun = metadataOf(own, {
    ...old.metadata,
    ...(generation === undefined ? {} : { generation: generation + 1 }),
    deletionTimestamp: isoTime(clock.now()),
    ...(isNamespaceKind(kind) ? {} : { deletionGracePeriodSeconds: 0 }),
  })
  const body = { ...old, metadata: begun }
  return isNamespaceKind(kind) ? terminating(body) : body
}

/** Whoever does not say how to propagate leaves it as it was decided before. */
function finalizersFor(finalizers: readonly string[], propagation: DeleteOptions['propagation']): readonly string[] {
  if (propagation === undefined) return finalizers
  const others = finalizers.filter(finalizer => finalizer !== waitForDependents && finalizer !== leaveDependents)
  if (propagation === 'Background') return others
  return [...others, propagation === 'Foreground' ? waitForDependents : leaveDependents]
}

function checkPreconditions(kind: Kind, { metadata }: Body, { uid, resourceVersion }: DeleteOptions): void {
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}).`
    throw refused(kind, metadata.name, `${why} The object might have been deleted and then recreated`)
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}).`
    throw refused(kind, metadata.name, `${why} The object might have been modified`)
  }
}

/** Throws Forbidden if somebody protects the object. One whose deletion has begun is past that. */
function checkDeletable(kind: Kind, old: Body): void {
  const { name, deletionTimestamp } = old.metadata
  const problem = deletionTimestamp === undefined ? kind.deletionProblem?.(old) : undefined
  if (problem === undefined) return
  const message = `${qualified(kind)} "${name}" is forbidden: ${problem.message}`
  throw new StoreError('Forbidden', message, { group: kind.group, kind: kind.plural, name, fix: problem.fix })
}

/** Kubernetes names the kind here, not the resource. */
function refused(kind: Kind, name: string, why: string): StoreError {
  const subject = kind.group === '' ? kind.name : `${kind.name}.${kind.group}`
  const message = `Operation cannot be fulfilled on ${subject} "${name}": ${why}`
  return new StoreError('Conflict', message, { group: kind.group, kind: kind.name, name, fix: 'read the object again and decide anew' })
}
