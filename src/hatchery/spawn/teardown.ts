import { readWorkerNote } from '../fleet/worker-note.ts'
import { backoff } from '../../ports/index.ts'
import type { Vm } from '../../platform/index.ts'
import type { Assignment } from './assignment.ts'
import type { SpawnerOptions } from './spawner-options.ts'

const minute = 60_000

/** How long removal is tried here. After that the clean-up does it: the VM's note tells it all that it needs. */
const removeFor = 8 * minute

/** For how long neither VM nor task must be seen before one that may appear is taken for never made. */
const unseenFor = 20_000

/** How long giving back is tried. After that CDS's own clocks have given the job back. */
const releaseFor = 12 * minute

/** What is left of an attempt and must go. */
export interface Remains {
  readonly assignment: Assignment
  /** The name that a VM of this attempt has or will have. */
  readonly vmName: string
  /** The VM that was claimed or made, if it is known. */
  readonly vmId: string | undefined
  readonly taken: 'no' | 'maybe' | 'yes'
  /** Whether a worker may have been started. */
  readonly launched: 'no' | 'maybe' | 'yes'
  /** Whether nobody knows what became of the call that makes the VM: then it is looked for longer. */
  readonly mayAppear: boolean
}

/** What became of the job. */
export type JobFate = 'given back' | 'not ours'

/**
 * The one way in which what an attempt left is taken away: the VM is switched off and removed, and the job given back if it is
 * ours and no worker can have begun it. If none was started that is certain at once; else only when the VM is gone.
 * The address comes free by itself when nothing shows it any more.
 */
export async function tearDown(options: SpawnerOptions, remains: Remains, stop: AbortSignal): Promise<JobFate> {
  const remove = () => removeVm(options, remains, stop)
  const release = () => giveBack(options, remains, stop)
  if (remains.launched !== 'no') return (await remove()) ? await release() : 'not ours'
  const [fate] = await Promise.all([release(), remove()])
  return fate
}

/** Gives the job back if that is right. Resolves when it is done or need not be. */
async function giveBack({ clock, chance, log }: SpawnerOptions, { assignment, taken }: Remains, stop: AbortSignal): Promise<JobFate> {
  if (taken === 'no' || assignment.purpose !== 'Job') return 'not ours'
  using limit = clock.deadline(releaseFor, stop)
  for (let tries = 1; ; tries++) {
    try {
      // One that a worker has begun, or ended, is never put back into the queue: CDS would let it run once more.
      if ((await assignment.standing(limit.signal)) !== 'taken') return 'not ours'
      await assignment.release(limit.signal)
      return 'given back'
    } catch (error) {
      stop.throwIfAborted()
      if (limit.signal.aborted) {
        log.warn('a job could not be given back in time; CDS does it by its own clocks', { job: assignment.jobId, error })
        return 'not ours'
      }
      log.info('a job could not be given back yet', { job: assignment.jobId, error, tries })
    }
    await clock.sleep(500 + backoff({ base: 2_000, cap: 30_000, chance }, tries), limit.signal).catch(() => {})
  }
}

/** Whether the VM is certainly gone in the end. */
async function removeVm(options: SpawnerOptions, remains: Remains, stop: AbortSignal): Promise<boolean> {
  const { platform, clock, chance, log, underWay } = options
  const { vmName, vmId, assignment, mayAppear } = remains
  const { inventory } = platform
  using limit = clock.deadline(removeFor, stop)
  let unseenSince: number | undefined
  for (let tries = 1; ; tries++) {
    try {
      await inventory.whenLive(limit.signal)
      const found = find(options, vmName, vmId, assignment)
      if (found !== undefined) {
        underWay.doomed.add(found.id)
        await platform.destroy(found.id, limit.signal)
        if (!mayAppear) return true
      }
      if (found !== undefined || isUnderWay(options, vmName, vmId)) unseenSince = undefined
      else {
        unseenSince ??= clock.monotonic()
        if (!mayAppear || clock.monotonic() - unseenSince >= unseenFor) return true
      }
    } catch (error) {
      stop.throwIfAborted()
      if (limit.signal.aborted) {
        log.warn('a VM could not be removed in time; the clean-up will do it', { vm: vmName, error })
        return false
      }
      log.info('a VM could not be removed yet', { vm: vmName, error, tries })
    }
    await clock.sleep(1_000 + backoff({ base: 1_000, cap: 10_000, chance }, tries), limit.signal).catch(() => {})
  }
}

/** The VM of the attempt, if it is there. One that stands ready and was not claimed after all is not of it. */
function find({ platform, settings }: SpawnerOptions, vmName: string, vmId: string | undefined, { jobId }: Assignment): Vm | undefined {
  const isOurs = (vm: Vm) => {
    const note = readWorkerNote(vm)
    return !vm.template && note?.hatcheryName === settings.name && !note.provisioning && note.workerName === vmName && note.jobId === jobId
  }
  const byId = vmId === undefined ? undefined : platform.inventory.byId(vmId)
  if (byId !== undefined && isOurs(byId)) return byId
  return vmName === '' ? undefined : platform.inventory.byName(vmName).find(isOurs)
}

/** Whether a task is at work that may make or rename the VM. */
function isUnderWay({ platform }: SpawnerOptions, vmName: string, vmId: string | undefined): boolean {
  const isOn = (target: string) => target !== '' && (target === vmName || target === vmId)
  return platform.tasks().some(({ state, target }) => (state === 'running' || state === 'queued') && isOn(target))
}
