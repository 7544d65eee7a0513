import type { RegisteredWorker } from '../cds/cds.ts'
import type { FleetVm } from '../fleet/fleet-index.ts'
import { isRegisterName } from '../fleet/tally.ts'
import { jobAssignment } from '../spawn/assignment.ts'
import type { CleanerOptions } from './cleaner.ts'

/** CDS's own words for a model whose worker did not come up (its error 146). */
const deploymentFailed = 'worker model deployment failed'

/** How long CDS may take for all that is said about one VM. */
const longest = 30_000

/**
 * A VM that was to register a model is about to be removed: if the model still needs that, the worker failed, and CDS is told, so that
 * people see it and a model that always fails is not tried for ever. Resolves to whether there is no more to say.
 */
export async function beforeRemoval(options: CleanerOptions, { vm, note }: FleetVm, why: string, signal: AbortSignal): Promise<boolean> {
  const { cds, clock, log } = options
  if (!isRegisterName(vm.name) || cds.v1 === undefined || note.workerModelPath === '') return true
  using deadline = clock.deadline(longest, signal)
  try {
    // Read now: the registration may have come in since the list was last read.
    const model = await cds.v1.model(note.workerModelPath, deadline.signal)
    if (model?.needRegistration !== true) return true
    await cds.v1.modelError(note.workerModelPath, `${deploymentFailed}: worker ${vm.name} is removed, because ${why}`, deadline.signal)
    return true
  } catch (error) {
    signal.throwIfAborted()
    log.warn('CDS could not be told that the registration of a worker model failed', { model: note.workerModelPath, vm: vm.name, error })
    return false
  }
}

/** A VM is gone: its job is given back if nobody can end it any more, so that it does not wait for CDS's own clocks. */
export async function afterRemoval(
  options: CleanerOptions,
  { vm, note }: FleetVm,
  worker: RegisteredWorker | undefined,
  signal: AbortSignal,
): Promise<void> {
  const jobId = worker?.version === 2 && worker.jobId !== '' ? worker.jobId : note.jobId
  await giveBack(options, { id: vm.id, name: vm.name, jobId }, worker, signal)
}

/** A V2 worker lost its VM, and nobody here removed it: the same for its job. */
export async function afterLoss(options: CleanerOptions, worker: RegisteredWorker, signal: AbortSignal): Promise<void> {
  await giveBack(options, { id: '', name: worker.name, jobId: worker.jobId }, worker, signal)
}

/** What is known of a VM that is gone. */
interface GoneVm {
  readonly id: string
  readonly name: string
  readonly jobId: string
}

/**
 * Only if CDS says at this moment that the job is under way and ours: it would put a job that succeeded back into the queue too. And
 * not if the worker is disabled, which is how CDS lists one that finished, nor if another VM has the job by now.
 */
async function giveBack(options: CleanerOptions, gone: GoneVm, worker: RegisteredWorker | undefined, signal: AbortSignal): Promise<void> {
  const { cds, settings, clock, log, underWay, fleet } = options
  const { jobId, name } = gone
  const version = versionOf(jobId)
  if (version === undefined || worker?.status === 'Disabled') return
  const assignment = jobAssignment(cds, settings.name, { version, id: jobId, title: '', queued: 0 }, '')
  if (assignment === undefined) return
  using deadline = clock.deadline(longest, signal)
  try {
    const standing = await assignment.standing(deadline.signal)
    if (standing === 'not ours') return
    // A job that runs has a worker. If it is none that we knew, it is not the one of this VM. V1 jobs end with their worker, in CDS.
    if (standing === 'running' && (worker === undefined || version === 1)) return
    const isHeld = fleet.holdersOfJob(jobId).some(holder => holder.vm.id !== gone.id)
    if (isHeld || underWay.hasJob(jobId)) return
    await assignment.release(deadline.signal)
    log.info('the job of a VM that is gone is given back', { job: jobId, vm: name })
  } catch (error) {
    signal.throwIfAborted()
    log.warn('the job of a VM that is gone could not be given back; CDS does it by its own clocks', { job: jobId, vm: name, error })
  }
}

/** V2 jobs have UUIDs, V1 jobs numbers; undefined for what is neither. */
function versionOf(jobId: string): 1 | 2 | undefined {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(jobId)) return 2
  return /^[1-9]\d*$/.test(jobId) ? 1 : undefined
}
