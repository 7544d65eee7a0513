import { isoTime } from '../../ports/index.ts'
import { type Kind, type Namespace, type Resource } from '../../kinds/index.ts'

type NamespaceCondition = NonNullable<NonNullable<Namespace['status']>['conditions']>[number]

/** What is left in a namespace that is being deleted. */
export interface Remaining {
  readonly kind: Kind
  readonly objects: readonly Resource[]
}

/** What Kubernetes says about a deletion, type by type, while all is well. */
const fine: readonly (readonly [type: string, reason: string, message: string])[] = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  ['NamespaceDeletionContentFailure', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
  ['NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
]

/** The conditions of a namespace that is being deleted, in Kubernetes' words. `old` if nothing changed. */
export function namespaceConditions(
  old: readonly NamespaceCondition[],
  remaining: readonly Remaining[],
  failures: readonly string[],
  now: number,
): readonly NamespaceCondition[] {
  const troubles = new Map([contentTrouble(remaining), finalizerTrouble(remaining), failureTrouble(failures)].flatMap(each => each ?? []))
  const conditions = fine.map(([type, reason, message]): NamespaceCondition => {
    const trouble = troubles.get(type)
    const next = trouble === undefined ? { type, status: 'False', reason, message } : { type, status: 'True', ...trouble }
    const before = old.find(condition => condition.type === type)
    const isSame = before?.status === next.status && before.reason === next.reason && before.message === next.message
    return isSame ? before : { ...next, lastTransitionTime: isoTime(now) }
  })
  const others = old.filter(condition => !fine.some(([type]) => type === condition.type))
  const all = [...others, ...conditions]
  return all.length === old.length && all.every(condition => old.includes(condition)) ? old : all
}

type Trouble = readonly [type: string, { readonly reason: string; readonly message: string }][]

function contentTrouble(remaining: readonly Remaining[]): Trouble | undefined {
  if (remaining.length === 0) return undefined
  const texts = remaining.map(({ kind, objects }) => `${kind.plural}.${kind.group} has ${objects.length} resource instances`).toSorted()
  return [['NamespaceContentRemaining', { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${texts.join(', ')}` }]]
}

function finalizerTrouble(remaining: readonly Remaining[]): Trouble | undefined {
  const counts = new Map<string, number>()
  for (const { objects } of remaining) {
    for (const { metadata } of objects) for (const name of metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  if (counts.size === 0) return undefined
  const texts = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`).toSorted()
  const message = `Some content in the namespace has finalizers remaining: ${texts.join(', ')}`
  return [['NamespaceFinalizersRemaining', { reason: 'SomeFinalizersRemain', message }]]
}

function failureTrouble(failures: readonly string[]): Trouble | undefined {
  if (failures.length === 0) return undefined
  const message = `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`
  return [['NamespaceDeletionContentFailure', { reason: 'ContentDeletionFailed', message }]]
}
