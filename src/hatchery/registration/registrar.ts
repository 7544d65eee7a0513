import {
  AddressContested,
  AddressLeaseLost,
  Busy,
  InventoryNotLive,
  NoAddressFree,
  NoCapacity,
  WaitedTooLong,
} from '../../platform/index.ts'
import { Unreachable } from '../../ports/index.ts'
import { StoreError } from '../../store/index.ts'
import type { Cds, V1Model } from '../cds/cds.ts'
import type { Undertaking } from '../fleet/under-way.ts'
import type { Gates } from '../gates/gates.ts'
import type { SpawnPlan } from '../gates/verdict.ts'
import type { ModelBook } from '../models/model-book.ts'
import type { StarterModel } from '../models/starter-model.ts'
import { modelPath, modelType } from '../models/starter-models.ts'
import { Rounds } from '../rounds.ts'
import { causeOf } from '../spawn/cause.ts'
import type { Spawner } from '../spawn/spawner.ts'
import { buildTemplate, templateRecord, temporaryName } from './build-template.ts'
import { needsRegistration } from './need-registration.ts'
import { type TidyTools, tidyTemplates } from './tidy-templates.ts'

/** What a registrar works with. */
export interface RegistrarOptions extends TidyTools {
  readonly cds: Cds
  readonly models: Pick<ModelBook, 'v1'>
  readonly gates: Pick<Gates, 'decideRegistration'>
  readonly spawner: Pick<Spawner, 'register'>
}

/** How long a call to CDS may take. */
const longestCall = 10_000

/**
 * Registers V1 worker models that CDS or a changed model asks for (hatchery §4.1, §6.7): builds the template if it must be, then starts
 * a worker from it that tells CDS what the model can do and ends. What goes wrong with a model is reported to CDS.
 */
export class Registrar {
  readonly #options: RegistrarOptions
  readonly #rounds: Rounds | undefined
  readonly #registering = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()

  constructor(options: RegistrarOptions) {
    const { settings, clock, log, cds } = options
    const { registerEvery, maxConcurrentRegistering } = settings.provision
    this.#options = options
    const isOff = cds.v1 === undefined || registerEvery === undefined || maxConcurrentRegistering === undefined
    if (isOff) return
    const round = (signal: AbortSignal) => this.#round(signal)
    this.#rounds = new Rounds({ name: 'hatchery-vsphere-register', every: registerEvery, atOnce: true, clock, log, round })
  }

  /** Begins, unless registering is switched off. */
  start(): void {
    this.#rounds?.start()
  }

  /** Ends it. What was begun stays as it is; the next run tidies it up. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#rounds?.stop()
    await Promise.allSettled(this.#registering.values())
  }

  /** Whether its rounds are alive, by the name that the status shows; none if registering is switched off. */
  get health(): ReadonlyMap<string, boolean> {
    return new Map(this.#rounds === undefined ? [] : [[this.#rounds.name, this.#rounds.isHealthy]])
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { platform, models, log } = this.#options
    await platform.inventory.whenLive(signal)
    await tidyTemplates(this.#options, signal)
    let known: readonly V1Model[]
    try {
      known = await models.v1(0)
    } catch (error) {
      return log.warn('no worker model is registered, because they could not be read', { error })
    }
    for (const model of byNeed(known)) {
      if (platform.inventory.state.kind !== 'live') return
      await this.#consider(model, known, signal)
    }
  }

  /** Begins the registration of a model if it needs one and the gates let it. */
  async #consider(model: V1Model, known: readonly V1Model[], signal: AbortSignal): Promise<void> {
    const { gates, log, cds, clock } = this.#options
    const path = modelPath(model)
    const build = this.#mustBeBuilt(model)
    if (model.type !== modelType || model.disabled || this.#registering.has(path) || (!build && !model.checkRegistration)) return
    const owner = this.#otherOwner(model)
    if (build && owner !== undefined) {
      const fields = { model: path, owner }
      return log.warn(
        'a worker model needs another template, and the one that is there belongs to another hatchery, which must do it',
        fields,
      )
    }
    const namesake = this.#namesake(model, known)
    if (build && namesake !== undefined) {
      const fields = { model: path, other: namesake }
      return log.warn('a worker model has no template, because that of its name is the one of another worker model; rename one', fields)
    }
    const verdict = await gates.decideRegistration(model, signal)
    if (verdict.kind !== 'go') {
      const why = verdict.kind === 'wait' ? verdict.refusal.message : verdict.why
      return log.info('a worker model must be registered and has to wait', { model: path, why })
    }
    try {
      using deadline = clock.deadline(longestCall, signal)
      if ((await cds.v1?.bookModel(path, deadline.signal)) !== true) {
        verdict.undertaking[Symbol.dispose]()
        return log.info('another hatchery registers a worker model', { model: path })
      }
    } catch (error) {
      verdict.undertaking[Symbol.dispose]()
      signal.throwIfAborted()
      return log.warn('a worker model could not be booked for its registration', { model: path, error })
    }
    const ended = this.#register(verdict.plan, verdict.undertaking, build).finally(() => this.#registering.delete(path))
    this.#registering.set(path, ended)
  }

  #mustBeBuilt(model: V1Model): boolean {
    const { fleet, underWay } = this.#options
    const found = fleet.modelTemplate(model.name)
    return needsRegistration(model, found === undefined ? undefined : { note: found.note, isDoomed: underWay.doomed.has(found.vm.id) })
  }

  /** The hatchery that built the template that is there, if it is another one. */
  #otherOwner(model: V1Model): string | undefined {
    const { fleet, settings } = this.#options
    const owner = fleet.modelTemplate(model.name)?.note.hatcheryName
    return owner === settings.name ? undefined : owner
  }

  /** The model of the same name in another group that has the template of that name, or for which it is being built. */
  #namesake({ group, name }: V1Model, known: readonly V1Model[]): string | undefined {
    const { fleet } = this.#options
    const others = known.filter(other => other.name === name && other.group !== group && other.type === modelType).map(modelPath)
    const path = fleet.modelTemplate(name)?.note.workerModelPath
    return others.find(other => other === path || this.#registering.has(other))
  }

  async #register(plan: SpawnPlan, undertaking: Undertaking, build: boolean): Promise<void> {
    const { spawner, log } = this.#options
    const { signal } = this.#stop
    const { model, flavor, size } = plan
    using _ = undertaking
    log.info('a worker model is registered', { model: model.path, build })
    try {
      if (build) await this.#build(plan, signal)
      const outcome = await spawner.register({ model, flavor, size }, undertaking, signal)
      if (outcome.kind === 'failed') await this.#report(plan, outcome.error)
    } catch (error) {
      if (!signal.aborted) await this.#report(plan, error)
    }
  }

  async #build({ model }: SpawnPlan, signal: AbortSignal): Promise<void> {
    const { underWay, log } = this.#options
    const vmName = temporaryName(model.template)
    // What it takes is counted with the worker that is started after it.
    using undertaking = underWay.begin({ purpose: 'Template', jobId: '', vmName, size: { cpus: 0, memoryMB: 0 }, model: model.path })
    try {
      await buildTemplate(this.#options, model, undertaking, signal)
      log.info('the template of a worker model is built', { model: model.path, template: model.template })
    } catch (error) {
      if (!signal.aborted) await this.#takeBack(model, causeOf(error, [model.password]))
      throw error
    }
  }

  /** Removes what a failed build left. What cannot be removed now is tidied up by the next round. */
  async #takeBack(model: StarterModel, why: string): Promise<void> {
    const { records, removal, fleet, platform, log } = this.#options
    const record = templateRecord(model)
    // A template that was done is not thrown away because the last step failed: the next round takes it.
    if (platform.inventory.state.kind !== 'live' || records.get(record)?.status?.phase === 'Claiming') return
    try {
      const found = fleet.ownNamed(temporaryName(model.template))
      if (found !== undefined) await removal.remove(found.vm, why, this.#stop.signal)
      await records.remove(record)
    } catch (error) {
      log.warn('what is left of a template could not be removed; it is tried again', { model: model.path, error })
    }
  }

  /** Tells CDS what went wrong, unless it had nothing to do with the model. */
  async #report({ model }: SpawnPlan, error: unknown): Promise<void> {
    const { cds, clock, log, settings } = this.#options
    log.warn('a worker model could not be registered', { model: model.path, error })
    if (!isOfModel(error)) return
    const passwords = [model.password, ...settings.credentials.map(({ password }) => password)]
    using deadline = clock.deadline(longestCall, this.#stop.signal)
    await cds.v1
      ?.modelError(model.path, causeOf(error, passwords), deadline.signal)
      .catch((problem: unknown) => log.warn('CDS could not be told that a worker model failed', { model: model.path, error: problem }))
  }
}

/** Models that need it most first: those that must be registered, then those to be checked, then the others; each by name. */
export function byNeed(models: readonly V1Model[]): readonly V1Model[] {
  const need = ({ needRegistration, checkRegistration }: V1Model) => (needRegistration ? 2 : 0) + (checkRegistration ? 1 : 0)
  return models.toSorted((one, other) => need(other) - need(one) || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}

const notOfModel = [AddressContested, AddressLeaseLost, NoAddressFree, NoCapacity, InventoryNotLive, WaitedTooLong, Busy, Unreachable]

/** Whether the model may be at fault. What the platform or our own store failed to do is tried again, and does not count against it. */
function isOfModel(error: unknown): boolean {
  return !(error instanceof StoreError) && !notOfModel.some(type => type.is(error))
}
