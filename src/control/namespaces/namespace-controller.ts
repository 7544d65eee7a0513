import { type Kind, Namespace, type Resource } from '../../kinds/index.ts'
import { type Store, StoreError } from '../../store/index.ts'
import { type Controller, controller, type Pass } from '../controller/controller.ts'
import { done, next, type Step } from '../controller/step.ts'
import { mapped } from '../controller/watches.ts'
import { NamespaceNotEmptied } from '../errors.ts'
import { isBeingDeleted } from '../finalizers.ts'
import { keyOf, kindId, parseKey } from '../object-key.ts'
import { namespaceConditions, type Remaining } from './namespace-conditions.ts'

/** The entry in `spec.finalizers` that holds a namespace until everything in it is gone. */
const ownFinalizer = 'kubernetes'

/** Deletions under way at one time: enough to share the store's commits. */
const atOnce = 64

type NamespacePass = Pass<Namespace>

/**
 * Deletes everything in a namespace that is being deleted, then lets it go, with the conditions that Kubernetes writes while it
 * waits. For the embedded engine; on Kubernetes the cluster does it. `kinds` are all that the store keeps.
 */
export function namespaceController({ kinds }: { readonly kinds: readonly Kind[] }): Controller {
  const contents = kinds.filter(kind => kind.scope === 'Namespaced')
  return controller(Namespace, {
    name: 'namespace',
    select: isBeingDeleted,
    stepsOnDeletion: true,
    watches: contents.map(kind => mapped(kind, ({ metadata }, read) => terminating(read(Namespace).get(metadata.namespace ?? '')))),
    steps: [pass => deleteContents(pass, contents), letGo],
  })
}

function terminating(namespace: Namespace | undefined) {
  return namespace !== undefined && isBeingDeleted(namespace) ? [{ name: namespace.metadata.name }] : []
}

/** Asks for the deletion of all that is there, and says what is left. Goes on when nothing is. */
async function deleteContents({ object, read, store, now, signal }: NamespacePass, kinds: readonly Kind[]): Promise<Step<Namespace>> {
  const { name } = object.metadata
  const contents = kinds.flatMap(kind =>
    read(kind)
      .list(name)
      .filter(content => !isBeingDeleted(content))
      .map(content => ({ kind, content })),
  )
  const failures: string[] = []
  for (let from = 0; from < contents.length; from += atOnce) {
    signal.throwIfAborted()
    const some = contents.slice(from, from + atOnce)
    failures.push(...(await Promise.all(some.map(({ kind, content }) => deleteOne(store, kind, content)))).flat())
  }
  const remaining = await whatIsLeft(store, kinds, name)
  const old = object.status?.conditions ?? []
  const conditions = namespaceConditions(old, remaining, failures, now)
  if (conditions !== old || object.status?.phase !== 'Terminating') {
    await store.update(Namespace, { ...object, status: { ...object.status, phase: 'Terminating', conditions } }, { subresource: 'status' })
  }
  if (failures.length > 0) throw NamespaceNotEmptied({ namespace: name, failures })
  return remaining.length > 0 ? done : next
}

/** Returns why it failed, if it did. */
async function deleteOne(store: Store, kind: Kind, content: Resource): Promise<readonly string[]> {
  const { uid } = content.metadata
  try {
    await store.delete(kind, parseKey(keyOf(content)), { propagation: 'Background', ...(uid === undefined ? {} : { uid }) })
  } catch (error) {
    // Gone, or gone and made anew before the namespace was closed: the next look sees it.
    if (StoreError.is(error, 'NotFound', 'Conflict')) return []
    if (!StoreError.is(error)) throw error
    return [`${kindId(kind)} ${content.metadata.name}: ${error.message}`]
  }
  return []
}

/** From the store itself: memory may not have caught up with the deletions. */
async function whatIsLeft(store: Store, kinds: readonly Kind[], namespace: string): Promise<readonly Remaining[]> {
  const lists = await Promise.all(
    kinds.map(async kind => ({ kind, objects: (await store.list(kind, { namespace })).items.map(item => item.object) })),
  )
  return lists.filter(({ objects }) => objects.length > 0)
}

/** Takes away what holds the empty namespace. */
async function letGo({ object, store }: NamespacePass): Promise<Step<Namespace>> {
  const finalizers = object.spec.finalizers ?? []
  if (!finalizers.includes(ownFinalizer)) return done
  const current = await store.get(Namespace, { name: object.metadata.name })
  const spec = { ...current.spec, finalizers: (current.spec.finalizers ?? []).filter(name => name !== ownFinalizer) }
  await store.update(Namespace, { ...current, spec }, { subresource: 'finalize' })
  return done
}
