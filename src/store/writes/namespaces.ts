import { type Kind } from '../../kinds/index.ts'
import type { Batch } from '../embedded/batch.ts'
import { qualified, StoreError } from '../errors.ts'
import type { Body } from './body.ts'

/** The name of the kind whose objects are the spaces that all others live in. */
const namespaces = 'namespaces'

/** Holds a namespace until everything in it is gone; the namespace controller takes it away. */
const contentFinalizer = 'kubernetes'

/** A cluster without these is none. */
const immortal: readonly string[] = ['default', 'kube-system', 'kube-public']

/** Whether a kind is that of namespaces themselves. */
export function isNamespaceKind(kind: Kind): boolean {
  return qualified(kind) === namespaces
}

/**
 * Refuses new objects in a namespace that is not there (NotFound) or is being deleted (Forbidden). A store that was opened
 * without the kind Namespace does not ask.
 */
export function checkNamespaceOpen(batch: Batch, kind: Kind, namespace: string | undefined, name: string): void {
  const collection = batch.collection(namespaces)
  if (kind.scope !== 'Namespaced' || collection?.kind === undefined) return
  const found = batch.read(collection, namespace!)
  if (found === undefined) {
    throw new StoreError('NotFound', `namespaces "${namespace}" not found`, {
      kind: namespaces,
      name: namespace!,
      fix: `create the namespace ${namespace} first`,
    })
  }
  if (found.stored.object.metadata.deletionTimestamp === undefined) return
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  throw new StoreError('Forbidden', `${qualified(kind)} "${name}" is forbidden: ${why}`, {
    group: kind.group,
    kind: kind.plural,
    name,
    namespaceTerminating: namespace!,
    fix: `use another namespace, or wait until ${namespace} is gone and create it again`,
  })
}

/** Refuses to delete the namespaces that everybody relies on. */
export function checkMortal(kind: Kind, name: string): void {
  if (!isNamespaceKind(kind) || !immortal.includes(name)) return
  throw new StoreError('Forbidden', `namespaces "${name}" is forbidden: this namespace may not be deleted`, { kind: namespaces, name })
}

/** A new namespace: held until it is empty, active, and carrying its name as a label so that selectors can name it. */
export function newNamespace(body: Body): Body {
  const finalizers = [...namespaceFinalizers(body).filter(finalizer => finalizer !== contentFinalizer), contentFinalizer]
  return labelled({ ...body, spec: { finalizers }, status: { phase: 'Active' } })
}

/** A namespace after an ordinary update: its own finalizers change only through `finalize`. */
export function updatedNamespace(old: Body, next: Body): Body {
  return labelled({ ...next, ...(old.spec === undefined ? {} : { spec: old.spec }) })
}

/** A namespace whose deletion has begun. */
export function terminating(body: Body): Body {
  return { ...body, status: { ...(body.status as object | undefined), phase: 'Terminating' } }
}

/** What holds a namespace besides the finalizers that any object may have. */
export function namespaceFinalizers(body: Body): readonly string[] {
  return (body.spec as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? []
}

function labelled(body: Body): Body {
  const labels = { ...body.metadata.labels, 'kubernetes.io/metadata.name': body.metadata.name }
  return { ...body, metadata: { ...body.metadata, labels } }
}
