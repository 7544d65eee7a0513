import type { Cds, V1Model } from '../cds/cds.ts'
import type { Undertaking } from '../fleet/under-way.ts'
import type { Gates } from '../gates/gates.ts'
import type { SpawnPlan } from '../gates/verdict.ts'
import type { ModelBook } from '../models/model-book.ts'
import type { StarterModel } from '../models/starter-model.ts'
import { modelPath, modelType } from '../models/starter-models.ts'
import { Rounds } from '../rounds.ts'
import { causeOf } from '../spawn/cause.ts'
import { mayBeOfModel } from '../spawn/fault.ts'
import type { Spawner } from '../spawn/spawner.ts'
import { buildTemplate, templateRecord, temporaryName } from './build-template.ts'
import { needsRegistration } from './need-registration.ts'
import type { RegistrationWait, RegistrationWaits } from './registration-waits.ts'
import { type TidyTools, tidyTemplates } from './tidy-templates.ts'

/** What a registrar works with. */
export interface RegistrarOptions extends TidyTools {
  readonly cds: Cds
  readonly models: Pick<ModelBook, 'v1'>
  readonly registrations: RegistrationWaits
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
  /** Whether models could not be read the last time: it is said once. */
  #isCdsAway = false

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
    const { platform } = this.#options
    await platform.inventory.whenLive(signal)
    await tidyTemplates(this.#options, signal)
    const known = await this.#models()
    for (const model of byNeed(known)) {
      if (platform.inventory.state.kind !== 'live') return
      await this.#consider(model, known, signal)
    }
  }

  /** All V1 models; none if they cannot be read. */
  async #models(): Promise<readonly V1Model[]> {
    const { models, log } = this.#options
    try {
      const known = await models.v1(0)
      this.#isCdsAway = false
      return known
    } catch (error) {
      log[this.#isCdsAway ? 'debug' : 'warn']('no worker model is registered, because they could not be read', { error })
      this.#isCdsAway = true
      return []
    }
  }

  /** Begins the registration of a model if it needs one and the gates let it. */
  async #consider(model: V1Model, known: readonly V1Model[], signal: AbortSignal): Promise<void> {
    const { gates, registrations } = this.#options
    const path = modelPath(model)
    const build = this.#mustBeBuilt(model)
    if (model.type !== modelType || model.disabled || this.#registering.has(path)) return
    if (!build && !model.checkRegistration) return registrations.end(path)
    const conflict = build ? (this.#otherOwner(model) ?? this.#namesake(model, known)) : undefined
    if (conflict !== undefined) return this.#wait(path, conflict, 'warn')
    const verdict = await gates.decideRegistration(model, signal)
    if (verdict.kind === 'wait') return this.#wait(path, verdict.refusal)
    if (verdict.kind !== 'go') return
    using held = new DisposableStack()
    held.use(verdict.undertaking)
    const refused = await this.#book(path, signal)
    if (refused !== undefined) return this.#wait(path, refused)
    // From here on it is over with the registration.
    held.move()
    registrations.begin(path, { reason: 'ModelUnderWay', message: 'it is being registered at this moment' })
    const ended = this.#register(verdict.plan, verdict.undertaking, build).finally(() => this.#registering.delete(path))
    this.#registering.set(path, ended)
  }

  /** Sees to it that nobody else registers a model meanwhile. Resolves to why not, if somebody may. */
  async #book(path: string, signal: AbortSignal): Promise<RegistrationWait | undefined> {
    const { cds, clock } = this.#options
    using deadline = clock.deadline(longestCall, signal)
    try {
      if ((await cds.v1?.bookModel(path, deadline.signal)) === true) return undefined
      return { reason: 'ModelBooked', message: 'another hatchery registers it at this moment' }
    } catch (error) {
      signal.throwIfAborted()
      return { reason: 'CdsNotAnswering', message: `CDS could not be asked to keep it for its registration: ${causeOf(error, [])}` }
    }
  }

  /** A model has to wait for its registration. It is said when the reason changes, and kept for the jobs that want the model. */
  #wait(path: string, { reason, message, unblock }: RegistrationWait, level: 'info' | 'warn' = 'info'): void {
    const { registrations, log } = this.#options
    const isNews = registrations.begin(path, { reason, message, ...(unblock !== undefined && { unblock }) })
    if (isNews) log[level]('a worker model must be registered and has to wait', { model: path, reason, why: message })
  }

  #mustBeBuilt(model: V1Model): boolean {
    const { fleet, underWay } = this.#options
    const found = fleet.modelTemplate(model.name)
    return needsRegistration(model, found === undefined ? undefined : { note: found.note, isDoomed: underWay.doomed.has(found.vm.id) })
  }

  /** The template that is there was built by another hatchery, which alone may replace it. */
  #otherOwner({ name }: V1Model): RegistrationWait | undefined {
    const { fleet, settings } = this.#options
    const owner = fleet.modelTemplate(name)?.note.hatcheryName ?? settings.name
    if (owner === settings.name) return undefined
    const message = `its template "${name}" belongs to hatchery "${owner}", which must build it anew`
    return { reason: 'TemplateOfOther', message, unblock: `let hatchery "${owner}" register the model, or remove its template "${name}"` }
  }

  /** A model of the same name in another group has the template of that name, or it is being built for that one. */
  #namesake({ group, name }: V1Model, known: readonly V1Model[]): RegistrationWait | undefined {
    const { fleet } = this.#options
    const others = known.filter(other => other.name === name && other.group !== group && other.type === modelType).map(modelPath)
    const path = fleet.modelTemplate(name)?.note.workerModelPath
    const namesake = others.find(other => other === path || this.#registering.has(other))
    if (namesake === undefined) return undefined
    const message = `the template "${name}" is that of worker model ${namesake}`
    return { reason: 'TemplateOfNamesake', message, unblock: 'rename one of the two models' }
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
    const { cds, clock, log, settings, registrations } = this.#options
    log.warn('a worker model could not be registered', { model: model.path, error })
    const cause = causeOf(error, [model.password, ...settings.credentials.map(({ password }) => password)])
    registrations.begin(model.path, { reason: 'RegistrationFailed', message: `the last attempt failed: ${cause}` })
    if (!mayBeOfModel(error)) return
    using deadline = clock.deadline(longestCall, this.#stop.signal)
    await cds.v1
      ?.modelError(model.path, cause, deadline.signal)
      .catch((problem: unknown) => log.warn('CDS could not be told that a worker model failed', { model: model.path, error: problem }))
  }
}

/** Models that need it most first: those that must be registered, then those to be checked, then the others; each by name. */
export function byNeed(models: readonly V1Model[]): readonly V1Model[] {
  const need = ({ needRegistration, checkRegistration }: V1Model) => (needRegistration ? 2 : 0) + (checkRegistration ? 1 : 0)
  return models.toSorted((one, other) => need(other) - need(one) || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}
