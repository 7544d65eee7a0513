import type { Chance, Clock, Log } from '../../ports/index.ts'
import type { Kind, Resource } from '../../kinds/index.ts'
import type { Store } from '../../store/index.ts'
import { kindId } from '../object-key.ts'
import { Informer } from './informer.ts'
import type { IndexFunction } from './object-index.ts'

/** What informers need, whatever their kind. */
export interface InformersOptions {
  readonly store: Store
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** As in `InformerOptions`. */
  readonly compareEvery?: number
  readonly silence?: number
}

/** One informer for each kind of a store, shared by all who ask; so a kind is watched once and kept once. */
export class Informers {
  readonly #options: InformersOptions
  readonly #informers = new Map<string, Informer<Resource>>()
  #stopped = false

  constructor(options: InformersOptions) {
    this.#options = options
  }

  /** The informer of a kind, started. `indexes` are added to those that it has. */
  of<R extends Resource>(kind: Kind<R>, indexes: Readonly<Record<string, IndexFunction<R>>> = {}): Informer<R> {
    const informer = (this.#informers.get(kindId(kind)) as Informer<R> | undefined) ?? this.#make(kind)
    for (const [name, valuesOf] of Object.entries(indexes)) informer.addIndex(name, valuesOf)
    return informer
  }

  /** The informer of a kind if somebody asked for it before. */
  find<R extends Resource>(kind: Kind<R>): Informer<R> | undefined {
    return this.#informers.get(kindId(kind)) as Informer<R> | undefined
  }

  all(): readonly Informer<Resource>[] {
    return [...this.#informers.values()]
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.all().map(informer => informer.stop()))
  }

  #make<R extends Resource>(kind: Kind<R>): Informer<R> {
    const informer = new Informer<R>({ ...this.#options, kind })
    this.#informers.set(kindId(kind), informer as unknown as Informer<Resource>)
    if (this.#stopped) void informer.stop()
    else informer.start()
    return informer
  }
}
