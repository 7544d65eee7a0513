import type { Kind, Resource } from '../../kinds/index.ts'
import type { Key } from '../../store/index.ts'
import { ReadNotDeclared, Stopping } from '../errors.ts'
import { isBeingDeleted } from '../finalizers.ts'
import { revisionOf } from '../informer/differences.ts'
import type { Informer, Reader } from '../informer/informer.ts'
import { workMetrics } from '../metrics.ts'
import { keyOf, keyText, kindId } from '../object-key.ts'
import { periodically } from '../periodically.ts'
import type { Lane } from '../queue/work-queue.ts'
import { type Job, type Verdict, Workers } from '../queue/workers.ts'
import type { ControllerContext, ControllerDefinition, IndexedRead, RunningController } from './controller.ts'
import { Reconciler } from './reconciler.ts'
import type { ObjectWatch } from './watches.ts'

/** A controller at work: from changes to keys, from keys to passes. */
export class RunningReconciler<R extends Resource, S> implements RunningController {
  readonly ready: Promise<void>
  readonly #options: ControllerDefinition<R, S>
  readonly #context: ControllerContext
  readonly #informer: Informer<R>
  readonly #readers = new Map<string, Informer<Resource>>()
  readonly #reconciler: Reconciler<R, S>
  readonly #workers: Workers
  readonly #stop = new AbortController()
  readonly #unsubscribe: (() => void)[] = []
  /** For each key under way the newest change of the object that was heard of meanwhile. */
  readonly #heard = new Map<string, { readonly revision: string; readonly lane: Lane } | undefined>()

  constructor(options: ControllerDefinition<R, S>, context: ControllerContext) {
    this.#options = options
    this.#context = context
    this.#informer = context.informers.of(options.kind)
    this.#declareReads()
    this.#reconciler = new Reconciler(options, context, this.#informer, kind => this.#read(kind))
    const { clock, chance } = context
    const { name, concurrency, deadline, retry } = options
    this.#workers = new Workers({
      name,
      clock,
      chance,
      log: context.log.with({ controller: name }),
      metrics: workMetrics(context.metrics, name),
      work: job => this.#work(job),
      onStuck: job => void this.#reportStuck(job),
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(deadline === undefined ? {} : { deadline }),
      ...(retry === undefined ? {} : { retry }),
    })
    this.ready = this.#start()
    this.ready.catch(() => {})
  }

  async stop(options: { readonly within: number }): Promise<void> {
    this.#stop.abort(Stopping({ controller: this.#options.name }))
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    await this.#workers.stop(options)
  }

  #declareReads(): void {
    const { informers } = this.#context
    const declare = (kind: Kind, indexes?: IndexedRead['indexes']) => this.#readers.set(kindId(kind), informers.of(kind, indexes))
    declare(this.#options.kind)
    for (const watch of this.#options.watches ?? []) if (watch.type === 'objects') declare(watch.kind)
    for (const read of this.#options.reads ?? []) {
      if ('indexes' in read) declare(read.kind, read.indexes)
      else declare(read)
    }
  }

  #read<T extends Resource>(kind: Kind<T>): Reader<T> {
    const reader = this.#readers.get(kindId(kind))
    if (reader === undefined) throw ReadNotDeclared({ controller: this.#options.name, kind: kind.name })
    return reader as unknown as Reader<T>
  }

  /** Everything has to be known before the first pass: what is not known yet must not look like what is not there. */
  async #start(): Promise<void> {
    await Promise.all([...this.#readers.values()].map(informer => informer.synced))
    this.#stop.signal.throwIfAborted()
    const restored = () => this.#reconciler.memory.forgetRevisions()
    for (const informer of this.#readers.values()) this.#unsubscribe.push(informer.on({ restored }))
    this.#followObjects()
    for (const watch of this.#options.watches ?? []) {
      if (watch.type === 'objects') this.#follow(watch)
      else this.#unsubscribe.push(watch.subscribe((key, lane) => this.#add(key, lane ?? 'normal')))
    }
    this.#workers.start()
    const { resync } = this.#options
    if (resync !== undefined) periodically(this.#context.clock, resync, this.#stop.signal, () => this.#lookAtAll())
  }

  #followObjects(): void {
    this.#unsubscribe.push(
      this.#informer.on({
        added: (object, initial) => this.#changed(object, initial ? 'low' : 'high'),
        changed: (object, old) => this.#changed(object, isWish(object, old) ? 'high' : 'normal'),
        removed: object => this.#workers.queue.add(keyOf(object)),
      }),
    )
  }

  #follow({ kind, keys }: ObjectWatch): void {
    const tell = (object: Resource, lane: Lane) => {
      for (const key of keys(object, this.#options.kind, wanted => this.#read(wanted))) this.#add(key, lane)
    }
    this.#unsubscribe.push(
      this.#context.informers.of(kind).on({
        added: (object, initial) => tell(object, initial ? 'low' : 'normal'),
        changed: (object, old) => {
          tell(old, 'normal')
          tell(object, 'normal')
        },
        removed: object => tell(object, 'normal'),
      }),
    )
  }

  /** The object itself changed. What a pass saw or wrote itself is no reason for another. */
  #changed(object: R, lane: Lane): void {
    const key = keyOf(object)
    const revision = revisionOf(object)
    if (this.#heard.has(key)) this.#heard.set(key, { revision, lane })
    else if (!this.#reconciler.memory.hasHandled(key, revision)) this.#workers.queue.add(key, { lane })
  }

  #add(key: Key, lane: Lane): void {
    this.#workers.queue.add(keyText(key), { lane })
  }

  #lookAtAll(): void {
    for (const object of this.#informer.list()) this.#workers.queue.add(keyOf(object), { lane: 'low' })
  }

  async #work(job: Job): Promise<Verdict> {
    this.#heard.set(job.key, undefined)
    try {
      return await this.#reconciler.work(job)
    } finally {
      const heard = this.#heard.get(job.key)
      this.#heard.delete(job.key)
      if (heard !== undefined && !this.#reconciler.memory.hasHandled(job.key, heard.revision)) {
        this.#workers.queue.add(job.key, { lane: heard.lane })
      }
    }
  }

  async #reportStuck(job: Job): Promise<void> {
    try {
      await this.#reconciler.reportStuck(job.key, (this.#options.deadline ?? 60_000) / 1000)
    } catch (error) {
      this.#context.log.warn('a stuck pass could not be told of', { controller: this.#options.name, key: job.key, error })
    }
  }
}

/** Whether somebody changed what they want of the object, rather than something having happened to it. */
function isWish(object: Resource, old: Resource): boolean {
  return object.metadata.generation !== old.metadata.generation || isBeingDeleted(object) !== isBeingDeleted(old)
}
