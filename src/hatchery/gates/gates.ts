import type { Capacity, Platform } from '../../platform/index.ts'
import type { Clock, Log } from '../../ports/index.ts'
import type { Cds, V1Model } from '../cds/cds.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { Job } from '../jobs/job.ts'
import { chooseModelV1, modelOfV2Job } from '../models/choose-model.ts'
import type { ModelBook } from '../models/model-book.ts'
import { needsSecrets, passwordV1 } from '../models/model-password.ts'
import type { StarterModel } from '../models/starter-model.ts'
import { starterFromV1 } from '../models/starter-models.ts'
import type { RegistrationWaits } from '../registration/registration-waits.ts'
import type { HatcherySettings } from '../settings.ts'
import type { Attempts } from './attempts.ts'
import { canAllocate } from './can-allocate.ts'
import { type Choice, type Eligibility, eligibleJob, eligibleRegistration, type FreeAddresses } from './can-spawn.ts'
import { checkCapacities, checkRegistering } from './capacities.ts'
import { checkAttempts } from './check-attempts.ts'
import { ask, Decided, drop, inventoryUnknown, mustPass, refusalOf } from './refusal.ts'
import { checkRegion } from './region.ts'
import { ResourcePool } from './resource-pool.ts'
import { planFor, registrationJob } from './spawn-plan.ts'
import type { SpawnPlan, Verdict } from './verdict.ts'
import type { WorkerPool } from './worker-pool.ts'

/** What deciding needs. */
export interface GatesOptions {
  readonly settings: HatcherySettings
  readonly platform: Pick<Platform, 'inventory' | 'capacity'>
  readonly cds: Cds
  readonly fleet: Fleet
  readonly underWay: UnderWay
  readonly addresses: FreeAddresses
  readonly pool: WorkerPool
  readonly models: ModelBook
  readonly registrations: Pick<RegistrationWaits, 'of'>
  readonly attempts: Attempts
  readonly clock: Clock
  readonly log?: Log
}

/** A worker model may be added or corrected at any time, and nobody tells. */
const lookForModelsAgain = 20_000

/**
 * Decides whether a worker is started, in the order of hatchery §6.4 to §6.6: is the platform known, does the job still wait, how
 * many workers are there, is the region ours, which model, can it be started, is there room, was it tried too often.
 * No step calls the platform. Whatever could change while CDS is asked is looked at again at the end, in one go with the entry in
 * `UnderWay`: however many decisions run at a time, no two count on the same worker, address, VM or memory.
 */
export class Gates {
  readonly #options: GatesOptions
  readonly #eligibility: Eligibility
  readonly #resourcePool: ResourcePool

  constructor(options: GatesOptions) {
    this.#options = options
    const { fleet, underWay, addresses, settings, platform, log } = options
    const addressCount = settings.networks.reduce((sum, { size }) => sum + size, 0)
    this.#eligibility = { fleet, underWay, addresses, addressCount, flavors: settings.flavors }
    this.#resourcePool = new ResourcePool(platform, settings.vsphere.resourcePool, log)
  }

  /** What is to become of a job. Rejects only with the signal's reason. */
  decide(job: Job, signal: AbortSignal): Promise<Verdict> {
    return this.#verdict(() => this.#decideJob(job, signal), signal)
  }

  /** Whether a V1 model, which somebody found to need it, is to be registered now. The plan's job is number 0. */
  decideRegistration(model: V1Model, signal: AbortSignal): Promise<Verdict> {
    return this.#verdict(() => this.#decideRegistration(model, signal), signal)
  }

  async #decideJob(given: Job, signal: AbortSignal): Promise<Verdict> {
    this.#mustBeNew(given)
    this.#inventoryMustBeLive()
    const job = await this.#readAgain(given, signal)
    await this.#options.pool.refresh(signal)
    this.#checkCapacities()
    if (job.version === 1) mustPass(checkRegion(job, this.#options.settings.provision))
    else this.#checkAttempts(job)
    const { model, v1 } = await this.#chooseModel(job)
    chosen(eligibleJob(job, model, this.#eligibility))
    this.#checkRoom(this.#plan(job, model), await this.#resourcePool.capacity())
    if (job.version === 1) this.#checkAttempts(job)
    const ready = v1 === undefined ? model : await this.#withPassword(model, v1, signal)
    return this.#beginJob(job, ready, await this.#resourcePool.capacity())
  }

  /** The last look and the entry, without a pause between them. */
  #beginJob(job: Job, model: StarterModel, capacity: Capacity | undefined): Verdict {
    this.#mustBeNew(job)
    this.#checkCapacities()
    const claim = chosen(eligibleJob(job, model, this.#eligibility))
    const plan = this.#plan(job, model)
    this.#checkRoom(plan, capacity)
    this.#checkAttempts(job)
    // A flavor that does not exist ends the spawn before it touches a VM.
    const vmId = plan.unknownFlavor === undefined ? claim?.vm.id : undefined
    const undertaking = this.#options.underWay.begin({ purpose: 'Job', jobId: job.id, vmName: '', vmId, size: plan.size, model: '' })
    return { kind: 'go', plan, undertaking }
  }

  async #decideRegistration(v1: V1Model, signal: AbortSignal): Promise<Verdict> {
    const { settings, clock, pool } = this.#options
    this.#inventoryMustBeLive()
    await pool.refresh(signal)
    this.#checkCapacities('registration')
    const model = starterFromV1(v1, { defaultFlavor: settings.defaultFlavor })
    const plan = this.#plan(registrationJob(model, clock.now()), model)
    chosen(eligibleRegistration(v1, model, this.#eligibility))
    this.#checkRoom(plan, await this.#resourcePool.capacity())
    const ready = await this.#withPassword(model, v1, signal)
    return this.#beginRegistration({ ...plan, model: ready }, v1, await this.#resourcePool.capacity())
  }

  /** The last look and the entry, without a pause between them. */
  #beginRegistration(plan: SpawnPlan, v1: V1Model, capacity: Capacity | undefined): Verdict {
    this.#checkCapacities('registration')
    chosen(eligibleRegistration(v1, plan.model, this.#eligibility))
    this.#checkRoom(plan, capacity)
    const { size, model } = plan
    const undertaking = this.#options.underWay.begin({ purpose: 'Registration', jobId: '', vmName: '', size, model: model.path })
    return { kind: 'go', plan, undertaking }
  }

  #mustBeNew({ id }: Job): void {
    if (this.#options.underWay.hasJob(id)) drop('a worker is being started for it already')
  }

  #inventoryMustBeLive(): void {
    const { state } = this.#options.platform.inventory
    if (state.kind !== 'live') mustPass(inventoryUnknown(state.why))
  }

  /** The job as CDS has it now; it may be gone, taken or over. */
  async #readAgain(given: Job, signal: AbortSignal): Promise<Job> {
    const { cds, clock } = this.#options
    const side = given.version === 1 ? cds.v1 : cds.v2
    if (side === undefined) drop(`this hatchery has no token for V${given.version} jobs`)
    const job = await ask('Job', 'the job', clock, () => side.job(given.id, signal))
    if (job === undefined) drop('CDS no longer has it, or not for this hatchery')
    if (job.status !== 'Waiting') drop(`it no longer waits: it is ${job.status}`)
    if (job.takenBy !== '') drop(`${job.takenBy} has taken it`)
    return job
  }

  #checkCapacities(purpose: 'job' | 'registration' = 'job'): void {
    const { pool, settings } = this.#options
    const counts = pool.counts()
    mustPass(checkCapacities(counts, settings.provision))
    if (purpose === 'registration') mustPass(checkRegistering(counts, settings.provision))
  }

  async #chooseModel(job: Job): Promise<{ readonly model: StarterModel; readonly v1: V1Model | undefined }> {
    const { settings, models: book, fleet, underWay, registrations, clock } = this.#options
    const choosing = { settings, book, fleet, underWay, registrations }
    const canSpawn = (model: StarterModel) => {
      const choice = eligibleJob(job, model, this.#eligibility)
      return choice.kind === 'none' ? choice.refusal : undefined
    }
    const choose = async () => (job.version === 2 ? modelOfV2Job(job, settings) : await chooseModelV1(job, { ...choosing, canSpawn }))
    const choice = await ask('Model', 'its worker models', clock, choose)
    if (choice.kind === 'chosen') return choice
    const { refusal } = choice
    const until = clock.now() + lookForModelsAgain
    throw new Decided({ kind: 'wait', refusal: refusal.gate === 'Model' ? { ...refusal, until } : refusal })
  }

  #checkRoom({ size, flavor }: SpawnPlan, pool: Capacity | undefined): void {
    const { fleet, settings } = this.#options
    const coming = fleet.coming()
    mustPass(canAllocate(size, flavor, { allocated: fleet.allocated(coming), coming, pool }, settings))
  }

  #checkAttempts(job: Job): void {
    const { attempts, settings } = this.#options
    const verdict = checkAttempts(job, attempts, settings.name)
    if (verdict !== undefined) throw new Decided(verdict)
  }

  async #withPassword(model: StarterModel, v1: V1Model, signal: AbortSignal): Promise<StarterModel> {
    if (!needsSecrets(v1.password)) return model
    const { models, clock } = this.#options
    const secrets = await ask('Model', `the secrets of ${model.name}`, clock, () => models.secrets(model.path, signal))
    return { ...model, ...passwordV1(v1.password, secrets) }
  }

  #plan(job: Job, model: StarterModel): SpawnPlan {
    return planFor(job, model, this.#options.settings, this.#options.fleet)
  }

  async #verdict(decide: () => Promise<Verdict>, signal: AbortSignal): Promise<Verdict> {
    try {
      return await decide()
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Decided) return error.verdict
      const refusal = refusalOf(error, this.#options.clock)
      if (refusal === undefined) throw error
      return { kind: 'wait', refusal }
    }
  }
}

/** The VM to claim, undefined for a fresh clone; or the end of the decision. */
function chosen(choice: Choice) {
  if (choice.kind === 'none') throw new Decided({ kind: 'wait', refusal: choice.refusal })
  return choice.claim
}
