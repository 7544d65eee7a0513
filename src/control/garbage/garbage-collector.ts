import type { Kind, Resource } from '../../kinds/index.ts'
import type { Controller, ControllerContext, RunningController } from '../controller/controller.ts'
import { Stopping } from '../errors.ts'
import type { Informer } from '../informer/informer.ts'
import { workMetrics } from '../metrics.ts'
import { keyOf, keyText, kindId, referencedKindId } from '../object-key.ts'
import type { Lane } from '../queue/work-queue.ts'
import { type Job, type Verdict, Workers } from '../queue/workers.ts'
import { Collector, type Item } from './collector.ts'
import { ownerIndex, ownerUids, releasesDependents, waitsForDependents } from './owners.ts'

const name = 'garbage-collector'

/**
 * Removes objects all of whose owners are gone, as Kubernetes does: in the background, in the foreground (`foregroundDeletion`)
 * or not at all (`orphan`). For the embedded engine; on Kubernetes the cluster does it. It knows only the kinds that it is
 * given: an owner of another kind is taken to be there.
 */
export function garbageCollector({ kinds }: { readonly kinds: readonly Kind[] }): Controller {
  return { name, start: context => new RunningCollector(kinds, context) }
}

class RunningCollector implements RunningController {
  readonly ready: Promise<void>
  readonly #informers = new Map<string, Informer<Resource>>()
  readonly #collector: Collector
  readonly #workers: Workers
  readonly #unsubscribe: (() => void)[] = []
  readonly #stop = new AbortController()

  constructor(kinds: readonly Kind[], context: ControllerContext) {
    for (const kind of kinds) this.#informers.set(kindId(kind), context.informers.of(kind, { [ownerIndex]: ownerUids }))
    const log = context.log.with({ controller: name })
    this.#collector = new Collector({ ...context, log, informers: this.#informers, lookAt: item => this.#add(item) })
    this.#workers = new Workers({ ...context, name, log, metrics: workMetrics(context.metrics, name), work: job => this.#work(job) })
    this.ready = this.#start()
    this.ready.catch(() => {})
  }

  async stop(options: { readonly within: number }): Promise<void> {
    this.#stop.abort(Stopping({ controller: name }))
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    await this.#workers.stop(options)
  }

  /** Everything is read before anything is judged: an owner that is not known yet must not look absent. */
  async #start(): Promise<void> {
    await Promise.all([...this.#informers.values()].map(informer => informer.synced))
    this.#stop.signal.throwIfAborted()
    for (const informer of this.#informers.values()) this.#unsubscribe.push(this.#follow(informer))
    this.#workers.start()
  }

  /** Only changes of owners and of who is being deleted matter; all others cost one comparison. */
  #follow(informer: Informer<Resource>): () => void {
    const { kind } = informer
    return informer.on({
      added: (object, initial) => {
        if (concerns(object)) this.#add({ kind, object }, initial ? 'low' : 'normal')
      },
      changed: (object, old) => {
        const ownersChanged = !sameOwners(object, old)
        const deletionChanged =
          waitsForDependents(object) !== waitsForDependents(old) || releasesDependents(object) !== releasesDependents(old)
        if (concerns(object) && (ownersChanged || deletionChanged)) this.#add({ kind, object })
        if (ownersChanged) this.#lookAtOwners(old)
        if (deletionChanged) this.#lookAtDependents(object)
      },
      removed: object => {
        this.#lookAtDependents(object)
        this.#lookAtOwners(object)
      },
    })
  }

  #lookAtDependents(object: Resource): void {
    for (const dependent of this.#collector.dependentsOf(object)) this.#add(dependent)
  }

  /** An owner that waits for its dependents may now have one less. */
  #lookAtOwners({ metadata }: Resource): void {
    for (const owner of metadata.ownerReferences ?? []) {
      const informer = this.#informers.get(referencedKindId(owner))
      const isClusterWide = informer?.kind.scope === 'Cluster' || metadata.namespace === undefined
      const object = informer?.get(isClusterWide ? owner.name : keyText({ namespace: metadata.namespace, name: owner.name }))
      if (informer !== undefined && object !== undefined && waitsForDependents(object)) this.#add({ kind: informer.kind, object })
    }
  }

  #add({ kind, object }: Item, lane: Lane = 'normal'): void {
    this.#workers.queue.add(`${kindId(kind)} ${keyOf(object)}`, { lane })
  }

  async #work({ key }: Job): Promise<Verdict> {
    const space = key.indexOf(' ')
    const informer = this.#informers.get(key.slice(0, space))
    const object = informer?.get(key.slice(space + 1))
    if (informer === undefined || object === undefined) return { result: 'gone' }
    await this.#collector.look({ kind: informer.kind, object })
    return { result: 'done' }
  }
}

/** Whether garbage collection may have anything to do with an object. */
function concerns(object: Resource): boolean {
  return (object.metadata.ownerReferences?.length ?? 0) > 0 || waitsForDependents(object) || releasesDependents(object)
}

function sameOwners(a: Resource, b: Resource): boolean {
  return (
    a.metadata.ownerReferences === b.metadata.ownerReferences ||
    JSON.stringify(a.metadata.ownerReferences) === JSON.stringify(b.metadata.ownerReferences)
  )
}
