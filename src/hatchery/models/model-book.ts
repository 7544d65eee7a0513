import { type Clock, type Log, type Secret, silentLog } from '../../ports/index.ts'
import type { Cds, V1Model } from '../cds/cds.ts'
import type { V2Model } from '../jobs/job.ts'
import { modelPath } from './starter-models.ts'

/** Where models come from. */
export interface ModelBookOptions {
  readonly cds: Cds
  readonly clock: Clock
  readonly log?: Log
}

/** How old what is known of models may be. */
const usualAge = 10_000

/** How long an answer of CDS may take. */
const longestRead = 10_000

/** How long a list that cannot be read again is better than none. */
const longestDoubt = 300_000

/** How many references are remembered. */
const mostReferences = 500

interface Kept<T> {
  readonly value: T
  readonly at: number
}

/**
 * The worker models of CDS, read when somebody needs them and they are older than 10 s. However many jobs wait: one call serves all.
 */
export class ModelBook {
  readonly #options: ModelBookOptions
  readonly #log: Log
  #v1: Kept<readonly V1Model[]> | undefined
  #readingV1: Promise<readonly V1Model[]> | undefined
  readonly #v2 = new Map<string, Kept<V2Model | undefined>>()
  readonly #readingV2 = new Map<string, Promise<V2Model | undefined>>()

  constructor(options: ModelBookOptions) {
    this.#options = options
    this.#log = options.log ?? silentLog
  }

  /** Whether V2 models can be asked for: without a token of V2 they cannot. */
  get knowsV2(): boolean {
    return this.#options.cds.v2 !== undefined
  }

  /**
   * The V1 models that are enabled, in the order of CDS; none without a token of V1. If they cannot be read, those of up to five
   * minutes ago; rejects if there are none. `within` 0 reads them now.
   */
  async v1(within = usualAge): Promise<readonly V1Model[]> {
    const { cds, clock } = this.#options
    if (cds.v1 === undefined) return []
    if (this.#v1 !== undefined && clock.monotonic() - this.#v1.at < within) return this.#v1.value
    this.#readingV1 ??= this.#readV1().finally(() => {
      this.#readingV1 = undefined
    })
    return await this.#readingV1
  }

  /** A V1 model by `group/name`, from that list. */
  async v1ByPath(path: string, within = usualAge): Promise<V1Model | undefined> {
    const models = await this.v1(within)
    return models.find(model => modelPath(model) === path)
  }

  /** A V2 model by `PROJ/VCS/REPO/MODEL@branch`; undefined if there is none, or no token of V2. Rejects if it cannot be read. */
  async v2(reference: string): Promise<V2Model | undefined> {
    const { cds, clock } = this.#options
    if (cds.v2 === undefined) return undefined
    const kept = this.#v2.get(reference)
    if (kept !== undefined && clock.monotonic() - kept.at < usualAge) return kept.value
    const reading = this.#readingV2.get(reference) ?? this.#readV2(reference).finally(() => this.#readingV2.delete(reference))
    this.#readingV2.set(reference, reading)
    return await reading
  }

  /** The secrets of a V1 model, by name as `secrets.x`. Never remembered. */
  async secrets(path: string, signal: AbortSignal): Promise<ReadonlyMap<string, Secret>> {
    return (await this.#options.cds.v1?.modelSecrets(path, signal)) ?? new Map()
  }

  async #readV1(): Promise<readonly V1Model[]> {
    const { cds, clock } = this.#options
    const at = clock.monotonic()
    using deadline = clock.deadline(longestRead)
    try {
      const value = (await cds.v1?.models(deadline.signal)) ?? []
      this.#v1 = { value, at }
      return value
    } catch (error) {
      if (this.#v1 === undefined || at - this.#v1.at > longestDoubt) throw error
      this.#log.warn('the worker models could not be read; those known are used', { error })
      return this.#v1.value
    }
  }

  async #readV2(reference: string): Promise<V2Model | undefined> {
    const { cds, clock } = this.#options
    const at = clock.monotonic()
    using deadline = clock.deadline(longestRead)
    const value = await cds.v2?.model(reference, deadline.signal)
    if (this.#v2.size >= mostReferences) this.#v2.delete(this.#v2.keys().next().value ?? '')
    this.#v2.set(reference, { value, at })
    return value
  }
}
