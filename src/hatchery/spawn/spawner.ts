import type { Tries } from '../gates/attempts.ts'
import type { SpawnPlan } from '../gates/verdict.ts'
import type { Undertaking } from '../fleet/under-way.ts'
import { readWorkerNote } from '../fleet/worker-note.ts'
import { DeadlineExceeded, formatDuration } from '../../ports/index.ts'
import { FlavorNotFound, StartTooSlow } from '../errors.ts'
import { type Assignment, jobAssignment, registrationAssignment, type SpawnNews } from './assignment.ts'
import type { Attempt, SpawnOutcome, WorkerPlan } from './attempt.ts'
import { causeOf } from './cause.ts'
import { guestLogin } from './guest-login.ts'
import { isLaunchInDoubt, launch, mustBeLaunchable } from './launch.ts'
import { obtainVm } from './obtain-vm.ts'
import { addressReached, guestProbed, guestReached, preStartDone } from './readiness.ts'
import { sizeText } from './size-text.ts'
import { recordedAttempts } from './recorded-attempts.ts'
import { nothingBegun, type SpawnChange } from './spawn-records.ts'
import type { SpawnerOptions } from './spawner-options.ts'
import { tearDown } from './teardown.ts'
import { untilStopped } from './until-stopped.ts'
import { workerName } from './worker-name.ts'

/** From the decision to the script that runs: what takes longer is taken back. */
const wholeAttempt = 10 * 60_000

/**
 * Starts workers. Everything that an attempt is about to do is written down before, everything that it did can be seen on the VM;
 * whatever fails, one way leads back: the VM goes, the job is given back, the record says why and when it is tried again.
 */
export class Spawner {
  readonly #options: SpawnerOptions

  constructor(options: SpawnerOptions) {
    this.#options = options
  }

  /** Starts a worker for a job. Never rejects; the undertaking is over when it resolves. */
  async spawn({ job, ...plan }: SpawnPlan, undertaking: Undertaking, signal: AbortSignal): Promise<SpawnOutcome> {
    const { cds, settings } = this.#options
    const assignment = jobAssignment(cds, settings.name, job, plan.model.name)
    using _over = undertaking
    if (assignment === undefined) return { kind: 'lost' }
    return this.#nameWorker(undertaking) ?? (await this.#attempt(assignment, plan, undertaking, signal))
  }

  /** Starts a worker that only registers a V1 model. Never rejects; the undertaking is over when it resolves. */
  async register(plan: Omit<WorkerPlan, 'unknownFlavor'>, undertaking: Undertaking, signal: AbortSignal): Promise<SpawnOutcome> {
    using _over = undertaking
    const unnamed = this.#nameWorker(undertaking, 'register')
    if (unnamed !== undefined) return unnamed
    const assignment = registrationAssignment(undertaking.vmName, plan.model)
    return await this.#attempt(assignment, { ...plan, unknownFlavor: undefined }, undertaking, signal)
  }

  async #attempt(assignment: Assignment, plan: WorkerPlan, undertaking: Undertaking, stop: AbortSignal): Promise<SpawnOutcome> {
    const { clock, log, records } = this.#options
    using calls = clock.deadline(wholeAttempt)
    using waits = clock.deadline(wholeAttempt, stop)
    using holding = new DisposableStack()
    const worker = undertaking.vmName
    const attempt: Attempt = {
      assignment,
      plan,
      undertaking,
      worker,
      since: clock.monotonic(),
      calls: calls.signal,
      waits: waits.signal,
      stop,
      taken: 'no',
      launched: 'no',
      mayAppear: false,
      login: undefined,
      holding,
    }
    try {
      stop.throwIfAborted()
      if (!(await this.#takeUp(attempt))) {
        await records.remove(assignment.record)
        return { kind: 'lost' }
      }
      await this.#start(attempt)
      await this.#end(attempt)
      log.info('a worker is started', {
        worker,
        job: assignment.jobId,
        model: plan.model.name,
        seconds: seconds(clock.monotonic() - attempt.since),
      })
      return { kind: 'started', worker }
    } catch (error) {
      return await this.#failure(attempt, error)
    }
  }

  /** Writes down what is about to happen and makes the job ours. */
  async #takeUp(attempt: Attempt): Promise<boolean> {
    const { assignment, plan, worker } = attempt
    const { size, flavor, model } = plan
    await this.#note(attempt, 'Taking', `takes the job for worker "${worker}" from model "${model.name}"`, {
      worker,
      vm: worker,
      vmId: undefined,
      address: undefined,
      network: undefined,
      flavor: flavor?.name,
      cpus: size.cpus,
      memoryMB: size.memoryMB,
    })
    attempt.stop.throwIfAborted()
    attempt.taken = 'maybe'
    const ours = await untilStopped(assignment.take(attempt.calls), attempt.stop)
    attempt.taken = ours ? 'yes' : 'no'
    if (ours && assignment.purpose === 'Job') this.#options.attempts.begin(assignment.jobId)
    return ours
  }

  async #start(attempt: Attempt): Promise<void> {
    const { settings, platform, clock, log } = this.#options
    const { plan, worker, waits, calls, stop } = attempt
    this.#options.counters.count('spawning_worker_count')
    await this.#tell(attempt, { kind: 'starts', worker, model: plan.model.name })
    if (plan.unknownFlavor !== undefined) {
      throw FlavorNotFound({ flavor: plan.unknownFlavor, known: settings.flavors.all.map(({ name }) => name) })
    }
    if (plan.model.flavor !== '' && settings.flavors.all.length === 0) {
      log.warn('no flavors are configured: the worker gets the resources of its template', {
        worker,
        model: plan.model.name,
        flavor: plan.model.flavor,
        fix: 'add flavors to the configuration of the hatchery, or remove the flavor from the worker model',
      })
    }
    attempt.login = guestLogin(settings, plan.model)
    mustBeLaunchable(this.#options, attempt)
    await this.#tell(attempt, { kind: 'size', text: sizeText(worker, plan.flavor) })

    const vm = await obtainVm(this.#options, attempt)
    const expected = readWorkerNote(vm)?.ipAddress || undefined
    await this.#note(attempt, 'Starting', `switches the VM "${vm.name}" on`, { vmId: vm.id, address: expected })
    await untilStopped(platform.powerOn(vm.id, calls), stop)

    const readiness = { platform, clock }
    await this.#note(
      attempt,
      'Booting',
      `waits until the guest of "${vm.name}" has its address${expected === undefined ? '' : ` ${expected}`} and takes commands`,
    )
    await addressReached(readiness, vm.id, expected, waits)
    await guestReached(readiness, vm.id, waits)
    await this.#note(attempt, 'Probing', `starts a first program in the guest of "${vm.name}"`)
    await guestProbed(readiness, vm.id, attempt.login, waits)
    const script = settings.preStartScripts.get(plan.model.image)
    if (script !== undefined) await preStartDone(readiness, vm.id, { image: plan.model.image, script, login: attempt.login }, waits)

    const command = await launch(this.#options, attempt)
    await this.#note(attempt, 'Launching', `starts worker "${worker}" in the guest of "${vm.name}"`)
    stop.throwIfAborted()
    attempt.launched = 'maybe'
    await untilStopped(platform.runInGuest(vm.id, command, calls), stop)
    attempt.launched = 'yes'
  }

  /** The worker runs, and its VM says everything about it. Whatever goes wrong from here on is no reason to stop it. */
  async #end(attempt: Attempt): Promise<void> {
    const { assignment, plan } = attempt
    this.#options.counters.count('spawned_worker_count')
    if (plan.model.isDeprecated) await this.#tell(attempt, { kind: 'deprecated', model: plan.model.name })
    await this.#options.records.remove(assignment.record)
  }

  /** Something went wrong: back to where it began, and on record why. */
  async #failure(attempt: Attempt, problem: unknown): Promise<SpawnOutcome> {
    const { clock, log, settings } = this.#options
    const error = this.#named(attempt, problem)
    const { assignment, plan, worker, undertaking, stop } = attempt
    const about = { worker, job: assignment.jobId, model: plan.model.name }
    if (stop.aborted) {
      log.info('the program stops in the middle of starting a worker; it is taken up again at the next start', about)
      return { kind: 'left' }
    }
    if (attempt.launched === 'maybe' && (isLaunchInDoubt(problem) || (await this.#isRunning(attempt)))) {
      // It may be running: whoever removed it now might remove a job in full flight. If it is not, it never registers and is cleaned up.
      log.warn('it is not certain whether a worker was started; it is taken for started', { ...about, error })
      await this.#end(attempt)
      return { kind: 'started', worker }
    }
    const took = seconds(clock.monotonic() - attempt.since)
    const cause = causeOf(error, [
      attempt.login?.password,
      settings.vsphere.password,
      settings.api.tokenV1,
      settings.api.tokenV2,
      settings.key,
    ])
    const wasTaken = attempt.taken === 'yes'
    log.warn('a worker could not be started', { ...about, after: took, error })
    if (wasTaken || assignment.purpose !== 'Job') this.#options.counters.count('spawning_worker_errors_count')
    const tries = this.#countFailure(assignment)
    const notWritten = (more: unknown) => log.warn('how a start failed could not be written down', { ...about, error: more })
    await this.#note(attempt, 'TearingDown', `takes back what was begun: ${cause}`, {
      ...(tries !== undefined && recordedAttempts(tries)),
      lastError: cause,
      vmId: undertaking.vmId,
    }).catch(notWritten)
    if (wasTaken) await this.#tell(attempt, { kind: 'failed', worker, model: plan.model.name, after: took, error: cause })
    try {
      const { taken, launched, mayAppear } = attempt
      await tearDown(this.#options, { assignment, vmName: worker, vmId: undertaking.vmId, taken, launched, mayAppear }, stop)
    } catch (more) {
      if (stop.aborted) return { kind: 'left' }
      log.error('what a failed start left could not be taken back completely', { ...about, error: more })
    }
    const until = this.#nextTry(assignment)
    await this.#settle(assignment, tries, cause, until).catch(notWritten)
    return { kind: 'failed', error, until }
  }

  /** That the time is over says little; where it was spent says more. */
  #named({ calls, assignment }: Attempt, error: unknown): unknown {
    if (!DeadlineExceeded.is(error) || !calls.aborted) return error
    const phase = this.#options.records.get(assignment.record)?.status?.phase ?? 'Taking'
    return StartTooSlow({ minutes: wholeAttempt / 60_000, phase }, { cause: error })
  }

  /** Whether a worker has begun the job, although its start seemed to fail. */
  async #isRunning({ assignment, stop }: Attempt): Promise<boolean> {
    using limit = this.#options.clock.deadline(10_000, stop)
    return (await assignment.standing(limit.signal).catch(() => 'running')) === 'running'
  }

  /** The end of a failed attempt on record; a registration keeps none. */
  async #settle({ record, spec }: Assignment, tries: Tries | undefined, cause: string, until: number): Promise<void> {
    const { records } = this.#options
    if (tries === undefined) return await records.remove(record)
    const { count } = tries
    await records.write(record, spec, {
      phase: 'Waiting',
      ...nothingBegun,
      ...recordedAttempts(tries),
      lastError: cause,
      why: {
        reason: 'SpawnFailed',
        message: count === 0 ? `the job could not be taken: ${cause}` : `attempt ${count} to start a worker failed: ${cause}`,
        until,
        then: 'the job is tried again if it still waits',
      },
    })
  }

  /** How many attempts at the job that makes; undefined for a registration, whose failures CDS counts. */
  #countFailure({ jobId, purpose }: Assignment): Tries | undefined {
    const { attempts } = this.#options
    if (purpose !== 'Job') return undefined
    // Also if CDS could not be reached to take the job: the pause holds, though it does not count.
    attempts.failed(jobId)
    return attempts.of(jobId)
  }

  /** When it is worth another try. */
  #nextTry({ jobId }: Assignment): number {
    const { attempts, clock } = this.#options
    const standing = attempts.standing(jobId)
    return standing.kind === 'go' ? clock.now() : standing.until
  }

  /** Chooses the worker's name, which is its VM's too. Without a live inventory nobody knows which names are free, and nothing is begun. */
  #nameWorker(undertaking: Undertaking, prefix = ''): (SpawnOutcome & { readonly kind: 'failed' }) | undefined {
    const { chance, fleet, underWay, clock } = this.#options
    const isTaken = (name: string) => underWay.hasName(name) || fleet.named(name).length > 0
    try {
      undertaking.vmName = workerName(chance, isTaken, prefix)
      return undefined
    } catch (error) {
      return { kind: 'failed', error, until: clock.now() }
    }
  }

  async #note({ assignment }: Attempt, phase: NonNullable<SpawnChange['phase']>, message: string, change: SpawnChange = {}): Promise<void> {
    await this.#options.records.write(assignment.record, assignment.spec, { ...change, phase, why: { reason: phase, message } })
  }

  /** News are told if they can be; a worker is not held up for them. */
  async #tell({ assignment, stop, worker }: Attempt, news: SpawnNews): Promise<void> {
    const { clock, log } = this.#options
    // Not the attempt's own time: that it is over may be the very news.
    using limit = clock.deadline(10_000, stop)
    await assignment
      .tell(news, limit.signal)
      .catch((error: unknown) => log.warn('CDS was not told about a worker', { worker, news: news.kind, error }))
  }
}

function seconds(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds / 1000) * 1000)
}
