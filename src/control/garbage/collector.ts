import type { Log } from '../../ports/index.ts'
import type { Kind, OwnerReference, Resource } from '../../kinds/index.ts'
import { type DeleteOptions, type Store, undefinedIf } from '../../store/index.ts'
import { asDraft } from '../controller/as-draft.ts'
import { Recent } from '../events/recent.ts'
import { isBeingDeleted, withoutFinalizer } from '../finalizers.ts'
import type { Informer } from '../informer/informer.ts'
import { keyOf, keyText, kindId, parseKey, referencedKindId } from '../object-key.ts'
import { blocks, foregroundDeletion, orphan, ownerIndex, ownerUids, releasesDependents, waitsForDependents, withOwners } from './owners.ts'

/** An object together with its kind. */
export interface Item {
  readonly kind: Kind
  readonly object: Resource
}

/**
 * What is known about an owner that an object names. Unclear: it cannot be looked up, so it is taken to be there. Going: it is
 * being deleted and waits for its dependents.
 */
type OwnerState = 'there' | 'unclear' | 'going' | 'absent'

/** What the collector of garbage needs. */
export interface CollectorOptions {
  readonly store: Store
  readonly log: Log
  /** By kind id. */
  readonly informers: ReadonlyMap<string, Informer<Resource>>
  readonly fence: () => void
  /** Asks for a look at an object. */
  readonly lookAt: (item: Item) => void
}

/**
 * Owners that are known to be gone. A uid never comes back, so this is never wrong; but it is known of a place only. Somebody who names
 * a living owner of another namespace must not make it look gone to those whom it does own.
 */
const mostAbsent = 1_000

/** An object may name thousands of owners; a log line names the first. */
const mostOwnersLogged = 10

/** Decides about one object what garbage collection does with it, by the rules of Kubernetes, and does it. */
export class Collector {
  readonly #options: CollectorOptions
  readonly #absent = new Recent<true>(mostAbsent)

  constructor(options: CollectorOptions) {
    this.#options = options
  }

  /** Everything that names an object as its owner, from where it can be one: from its own namespace, or from anywhere if it has none. */
  dependentsOf({ metadata: { uid = '', namespace } }: Resource): readonly Item[] {
    return [...this.#options.informers.values()].flatMap(informer =>
      informer
        .byIndex(ownerIndex, uid)
        .filter(object => namespace === undefined || object.metadata.namespace === namespace)
        .map(object => ({ kind: informer.kind, object })),
    )
  }

  async look(item: Item): Promise<void> {
    const { object } = item
    if (releasesDependents(object)) return this.#release(item)
    if (waitsForDependents(object)) return this.#waitForDependents(item)
    if (!isBeingDeleted(object)) return this.#judge(item)
  }

  /** The object's dependents are to outlive it: none may name it when it goes. */
  async #release(item: Item): Promise<void> {
    const { uid = '' } = item.object.metadata
    for (const dependent of this.dependentsOf(item.object)) {
      const owners = (dependent.object.metadata.ownerReferences ?? []).filter(owner => owner.uid !== uid)
      await this.#update(dependent.kind, withOwners(dependent.object, owners))
    }
    await this.#update(item.kind, withoutFinalizer(item.object, orphan))
  }

  /** The object goes after those of its dependents that block it. The others are found to be garbage when it is gone. */
  async #waitForDependents(item: Item): Promise<void> {
    const { uid = '' } = item.object.metadata
    const blocking = this.dependentsOf(item.object).filter(({ object }) => blocks(object, uid))
    if (blocking.length === 0) return this.#update(item.kind, withoutFinalizer(item.object, foregroundDeletion))
    for (const dependent of blocking) if (!waitsForDependents(dependent.object)) this.#options.lookAt(dependent)
  }

  /** An object goes when none of its owners is left; if some are, it forgets the others. */
  async #judge({ kind, object }: Item): Promise<void> {
    const owners = object.metadata.ownerReferences ?? []
    if (owners.length === 0) return
    const states = new Map<OwnerReference, OwnerState>()
    for (const owner of owners) states.set(owner, await this.#stateOf(owner, object))
    const kept = owners.filter(owner => states.get(owner) === 'there' || states.get(owner) === 'unclear')
    if (kept.length === owners.length) return
    if (kept.length > 0) return this.#update(kind, withOwners(object, kept))
    const isForeground = owners.some(owner => states.get(owner) === 'going')
    await this.#removeGarbage({ kind, object }, isForeground)
  }

  async #removeGarbage(item: Item, isForeground: boolean): Promise<void> {
    const { kind, object } = item
    const dependents = isForeground ? this.dependentsOf(object) : []
    if (dependents.some(dependent => waitsForDependents(dependent.object))) {
      // A circle in which each waits for the next: this one lets go of its owners, or none would ever go.
      const owners = object.metadata.ownerReferences ?? []
      if (owners.some(owner => owner.blockOwnerDeletion === true)) {
        return this.#update(
          kind,
          withOwners(
            object,
            owners.map(owner => ({ ...owner, blockOwnerDeletion: false })),
          ),
        )
      }
    }
    await this.#delete(item, dependents.length > 0 ? 'Foreground' : this.#wish(object))
  }

  /** What the object itself says is to become of its own dependents. */
  #wish(object: Resource): NonNullable<DeleteOptions['propagation']> {
    if (object.metadata.finalizers?.includes(orphan)) return 'Orphan'
    return object.metadata.finalizers?.includes(foregroundDeletion) ? 'Foreground' : 'Background'
  }

  async #stateOf(owner: OwnerReference, dependent: Resource): Promise<OwnerState> {
    const informer = this.#options.informers.get(referencedKindId(owner))
    // What we cannot look up may well be there: unknown is not absent.
    if (informer === undefined) return 'unclear'
    const isClusterWide = informer.kind.scope === 'Cluster'
    const { namespace } = dependent.metadata
    if (!isClusterWide && namespace === undefined) return 'unclear'
    // An owner is looked for in the dependent's own namespace only, as in Kubernetes.
    const key = isClusterWide || namespace === undefined ? { name: owner.name } : { namespace, name: owner.name }
    const known = informer.get(keyText(key))
    if (known?.metadata.uid === owner.uid) return waitsForDependents(known) ? 'going' : 'there'
    const place = `${kindId(informer.kind)} ${keyText(key)} ${owner.uid}`
    if (this.#absent.get(place) === true) return 'absent'
    // Memory does not show it. Before anything is deleted for that, the store itself is asked.
    const present = await this.#options.store.get(informer.kind, key).catch(undefinedIf('NotFound'))
    if (present?.metadata.uid === owner.uid) return waitsForDependents(present) ? 'going' : 'there'
    this.#absent.set(place, true)
    return 'absent'
  }

  async #update(kind: Kind, object: Resource): Promise<void> {
    this.#options.fence()
    await this.#options.store.update(kind, asDraft(object)).catch(undefinedIf('NotFound'))
  }

  async #delete({ kind, object }: Item, propagation: NonNullable<DeleteOptions['propagation']>): Promise<void> {
    const { store, log, fence } = this.#options
    const { uid, resourceVersion } = object.metadata
    fence()
    const deletion = await store
      .delete(kind, parseKey(keyOf(object)), {
        propagation,
        ...(uid === undefined ? {} : { uid }),
        // It must still be as it was judged: somebody may just have given it another owner.
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      })
      .catch(undefinedIf('NotFound'))
    if (deletion === undefined) return
    const owners = ownerUids(object)
    log.info('deleted object without remaining owner', {
      kind: kind.name,
      key: keyOf(object),
      owners: owners.slice(0, mostOwnersLogged),
      ...(owners.length > mostOwnersLogged ? { moreOwners: owners.length - mostOwnersLogged } : {}),
    })
  }
}
