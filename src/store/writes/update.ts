import { decode, type Kind, updateProblems } from '../../kinds/index.ts'
import type { Batch } from '../embedded/batch.ts'
import type { Collection } from '../embedded/collection.ts'
import { textOf } from '../embedded/object-text.ts'
import { keyOf, type Version } from '../embedded/version.ts'
import { conflict, invalid, notFound, StoreError } from '../errors.ts'
import type { UpdateOptions } from '../store.ts'
import { atRevision, type Body, metadataOf, sameWish } from './body.ts'
import { checked, type Incoming, incoming, refuseUnknown, textField } from './incoming.ts'
import { isNamespaceKind, namespaceFinalizers, updatedNamespace } from './namespaces.ts'
import { newlyWrong } from './newly-wrong.ts'
import { same } from './same.ts'

/** Checks what was handed in, and returns what remains to be done when its turn comes. Throws BadRequest, Invalid or NotFound. */
export function update(collection: Collection, input: unknown, options: UpdateOptions): (batch: Batch) => Body {
  const kind = collection.kind!
  const given = incoming(kind, input)
  const namespace = textField(given, 'namespace')
  const name = textField(given, 'name') ?? ''
  const key = keyOf(kind, { namespace: namespace ?? '', name })
  const next = nextState(kind, given, options, collection.get(key))
  checkRevisionGiven(kind, name, given)

  return batch => {
    const found = batch.read(collection, key)
    if (found === undefined) throw notFound(kind, name)
    const old = found.stored.object as Body
    checkCurrent(kind, given, found, old)
    const changed = next(old)
    if (changed === undefined) return old
    const gone = isReleased(kind, changed)
    const object = options.dryRun === true ? changed : atRevision(changed, batch.revision)
    if (options.dryRun === true) textOf(object)
    else if (gone) batch.remove(collection, key)
    else batch.put(collection, key, object)
    return object
  }
}

/** The function from the old state to the new one, undefined if nothing changes. `present` is the state that there is by now. */
function nextState(kind: Kind, given: Incoming, options: UpdateOptions, present: Version | undefined): (old: Body) => Body | undefined {
  const { subresource } = options
  if (subresource === undefined) {
    const body = checked(kind, given, undefined, options, present?.stored.object as Body | undefined)
    return old => wholeUpdate(kind, old, body)
  }
  if (subresource === 'status' && kind.hasStatus) return old => statusUpdate(kind, old, given.fields['status'], options)
  if (subresource === 'finalize' && isNamespaceKind(kind)) return old => finalizeUpdate(kind, old, given.fields['spec'])
  throw noSubresource(kind, subresource)
}

/** Everything but status, and but what the store itself writes. */
function wholeUpdate(kind: Kind, old: Body, given: Body): Body | undefined {
  const body = isNamespaceKind(kind) ? updatedNamespace(old, given) : given
  const unchanged = sameWish(body, old, kind.hasStatus)
  const { generation } = old.metadata
  const system = unchanged || generation === undefined ? old.metadata : { ...old.metadata, generation: generation + 1 }
  const metadata = metadataOf(body.metadata, system)
  if (unchanged && same(metadata, old.metadata)) return undefined
  const next = kind.hasStatus && old.status !== undefined ? { ...body, metadata, status: old.status } : { ...body, metadata }
  const problems = [...finalizerProblems(old, next), ...updateProblems(kind, old, next)]
  if (problems.length > 0) throw invalid(kind, old.metadata.name, problems)
  return next
}

/** So many finalizers are named in a message. */
const mostNamed = 100

/** Once an object is being deleted, those who hold it may only become fewer. */
function finalizerProblems(old: Body, next: Body): Parameters<typeof invalid>[2] {
  if (old.metadata.deletionTimestamp === undefined) return []
  const present = new Set(old.metadata.finalizers)
  const added = (next.metadata.finalizers ?? []).filter(finalizer => !present.has(finalizer)).slice(0, mostNamed)
  if (added.length === 0) return []
  const list = added.map(finalizer => JSON.stringify(finalizer)).join(', ')
  return [
    {
      path: 'metadata.finalizers',
      reason: 'FieldValueForbidden',
      message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
      fix: `remove ${added.join(', ')}`,
    },
  ]
}

/** Nothing but status. The rest of what was handed in is not looked at. */
function statusUpdate(kind: Kind, old: Body, status: unknown, options: UpdateOptions): Body | undefined {
  const decoded = decode(kind, { ...old, status }, old)
  const { problems, unknownFields } = newlyWrong(kind, old, decoded)
  refuseUnknown(
    kind,
    unknownFields.filter(path => path.startsWith('status')),
    options,
  )
  if (problems.length > 0) throw invalid(kind, old.metadata.name, problems)
  const { status: read } = decoded.object as Body
  if (same(read, old.status)) return undefined
  const next = read === undefined ? withoutStatus(old) : { ...old, status: read }
  const changes = updateProblems(kind, old, next)
  if (changes.length > 0) throw invalid(kind, old.metadata.name, changes)
  return next
}

function withoutStatus({ status: _status, ...rest }: Body): Body {
  return rest
}

/** Nothing but a namespace's own finalizers. */
function finalizeUpdate(kind: Kind, old: Body, spec: unknown): Body | undefined {
  const { object, problems } = decode(kind, { ...old, spec }, old)
  if (problems.length > 0) throw invalid(kind, old.metadata.name, problems)
  const finalizers = namespaceFinalizers(object as Body)
  if (same(finalizers, namespaceFinalizers(old))) return undefined
  return { ...old, spec: finalizers.length === 0 ? {} : { finalizers } }
}

function checkRevisionGiven(kind: Kind, name: string, given: Incoming): void {
  if (textField(given, 'resourceVersion') !== undefined) return
  throw invalid(kind, name, [
    {
      path: 'metadata.resourceVersion',
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 0: must be specified for an update',
      fix: 'read the object, change what you read, and write that',
    },
  ])
}

/** Compare before swap. Throws Conflict. */
function checkCurrent(kind: Kind, given: Incoming, found: Version, old: Body): void {
  const uid = textField(given, 'uid')
  if (uid !== undefined && uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`
    throw conflict(kind, old.metadata.name, why)
  }
  if (textField(given, 'resourceVersion') !== found.stored.resourceVersion) throw conflict(kind, old.metadata.name)
}

/** Whether an object that is being deleted is held by nobody any more. */
export function isReleased(kind: Kind, body: Body): boolean {
  if (body.metadata.deletionTimestamp === undefined || (body.metadata.finalizers?.length ?? 0) > 0) return false
  return !isNamespaceKind(kind) || namespaceFinalizers(body).length === 0
}

function noSubresource(kind: Kind, subresource: string): StoreError {
  return new StoreError('NotFound', 'the server could not find the requested resource', {
    group: kind.group,
    kind: kind.plural,
    fix: `${kind.name} has no subresource ${subresource}; update the object itself`,
  })
}
