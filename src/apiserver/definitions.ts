import type { Chance, Clock } from '../ports/index.ts'
import { crd, CustomResourceDefinition, type Kind } from '../kinds/index.ts'
import { memoryStore, type Store } from '../store/index.ts'

/**
 * The definitions of the custom kinds, so that `kubectl get crd` and tools that look for them find them. They are not in the store:
 * they are what this version of the program serves, and can only be read.
 */
export async function definitionStore(kinds: readonly Kind[], clock: Clock, chance: Chance): Promise<Store> {
  const store = memoryStore({ kinds: [CustomResourceDefinition], clock, chance })
  for (const kind of kinds) {
    if (kind.builtIn) continue
    const made = await store.create(CustomResourceDefinition, crd(kind))
    await store.update(
      CustomResourceDefinition,
      { ...made, status: servedStatus(kind, made.metadata.creationTimestamp!) },
      { subresource: 'status' },
    )
  }
  return store
}

function servedStatus(kind: Kind, since: string) {
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime: since,
    reason,
    message,
  })
  return {
    acceptedNames: {
      plural: kind.plural,
      singular: kind.singular,
      kind: kind.name,
      listKind: `${kind.name}List`,
      ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
      ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    },
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    storedVersions: [kind.version],
  }
}
