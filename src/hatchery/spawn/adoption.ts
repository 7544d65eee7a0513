import type { Spawn } from '../../kinds/index.ts'
import { backoff, parseTime } from '../../ports/index.ts'
import type { Vm } from '../../platform/index.ts'
import type { Undertaking } from '../fleet/under-way.ts'
import { readWorkerNote } from '../fleet/worker-note.ts'
import { adoptedLogin } from './adopted-login.ts'
import { type Assignment, jobAssignment, registrationAssignment } from './assignment.ts'
import type { SpawnerOptions } from './spawner-options.ts'
import { isLaunchScript } from './launch-script.ts'
import { nothingBegun } from './spawn-records.ts'
import { type Remains, tearDown } from './teardown.ts'

type Phase = NonNullable<NonNullable<Spawn['status']>['phase']>

/** Phases in which nothing is under way. */
const atRest: ReadonlySet<Phase | undefined> = new Set<Phase>(['Waiting', 'Failed'])

/** One attempt that an earlier run of the program did not bring to its end. */
interface Interrupted {
  readonly record: string
  readonly spawn: Spawn
  readonly undertaking: Undertaking
}

/**
 * Takes up what an earlier run of the program left in the middle. All of it counts as under way at once, so that nobody claims its
 * VMs or begins its jobs anew; then each comes to its end: a worker that was started is left alone, everything before that is
 * taken back and the job returned to the queue, where it is begun afresh. Returns a promise for when all is done.
 */
export function adoptSpawns(options: SpawnerOptions, stop: AbortSignal): Promise<void> {
  const interrupted = Array.from(options.records.all()).flatMap(spawn => enter(options, spawn))
  return Promise.all(interrupted.map(each => adopt(options, each, stop))).then(() => {})
}

function enter({ underWay, records }: SpawnerOptions, spawn: Spawn): readonly Interrupted[] {
  const { spec, status = {} } = spawn
  if ((spec.purpose !== 'Job' && spec.purpose !== 'Registration') || atRest.has(status.phase)) return []
  const record = records.nameOf(spawn)
  const undertaking = underWay.begin({
    purpose: spec.purpose,
    jobId: spec.job ?? '',
    vmName: status.vm ?? '',
    vmId: status.vmId,
    size: { cpus: status.cpus ?? 0, memoryMB: status.memoryMB ?? 0 },
    model: '',
  })
  return [{ record, spawn, undertaking }]
}

/** Retries until it is done: the record keeps the clean-up away from the VM, so nothing else would remove either of them. */
async function adopt(options: SpawnerOptions, interrupted: Interrupted, stop: AbortSignal): Promise<void> {
  const { clock, chance, log } = options
  using _over = interrupted.undertaking
  for (let tries = 1; !stop.aborted; tries++) {
    try {
      return await takeUp(options, interrupted, stop)
    } catch (error) {
      if (!stop.aborted) log.warn('interrupted start not taken up yet; retrying', { ...aboutOf(interrupted), error, tries })
    }
    await clock.sleep(500 + backoff({ base: 1_000, cap: 30_000, chance }, tries), stop).catch(() => {})
  }
}

async function takeUp(options: SpawnerOptions, interrupted: Interrupted, stop: AbortSignal): Promise<void> {
  const { records, log, platform, settings } = options
  const { record, spawn } = interrupted
  const { phase, vm = '', vmId } = spawn.status ?? {}
  const assignment = assignmentOf(options, record, spawn)
  await platform.inventory.whenLive(stop)
  const there = (vmId === undefined ? undefined : platform.inventory.byId(vmId)) ?? platform.inventory.byName(vm)[0]
  const isOwn = there !== undefined && readWorkerNote(there)?.hatcheryName === settings.name
  if (phase === 'Launching' && isOwn && there.power === 'on' && (await mayHaveLaunched(options, there, assignment, stop))) {
    log.info('a worker that was being started when the program ended is left to itself', aboutOf(interrupted))
    return await records.remove(record)
  }
  log.info('a start of a worker that the end of the program interrupted is taken back', aboutOf(interrupted))
  const remains: Remains = {
    assignment,
    vmName: vm,
    vmId,
    taken: spawn.spec.purpose === 'Job' ? 'maybe' : 'no',
    launched: phase === 'Launching' || phase === 'TearingDown' ? 'maybe' : 'no',
    mayAppear: phase === 'Cloning' || phase === 'TearingDown',
  }
  await records.write(record, assignment.spec, { phase: 'TearingDown', why: { reason: 'TearingDown', message: interruptedMessage } })
  await tearDown(options, remains, stop)
  if ((spawn.status?.attempts ?? 0) === 0) return await records.remove(record)
  await records.write(record, assignment.spec, {
    phase: 'Waiting',
    ...nothingBegun,
    why: { reason: 'Interrupted', message: interruptedMessage, then: 'the job is tried again if it still waits' },
  })
}

function aboutOf({ spawn: { spec, status } }: Interrupted): Readonly<Record<string, unknown>> {
  return { job: spec.job, worker: status?.worker, vm: status?.vm ?? '', phase: status?.phase }
}

/** How long the guest and CDS may take to say whether a worker runs. */
const longestLook = 30_000

/**
 * Whether the worker may have been started before the program ended: CDS has given it its job, or the guest shows the script that
 * starts it. Also if neither can be asked: who removed the VM then might remove a worker in full flight.
 */
async function mayHaveLaunched(options: SpawnerOptions, vm: Vm, assignment: Assignment, stop: AbortSignal): Promise<boolean> {
  const { platform, clock, log } = options
  using limit = clock.deadline(longestLook, stop)
  try {
    if ((await assignment.standing(limit.signal)) === 'running') return true
    const login = await adoptedLogin(options, vm, assignment, limit.signal)
    const programs = await platform.guestPrograms(vm.id, login, limit.signal)
    return programs.some(({ command }) => isLaunchScript(command))
  } catch (error) {
    stop.throwIfAborted()
    log.info('it cannot be found out whether a worker was started; it is taken for started', { vm: vm.name, error })
    return true
  }
}

const interruptedMessage = 'the program ended in the middle of starting a worker; what was begun is taken back'

function assignmentOf({ cds, settings }: SpawnerOptions, record: string, { spec }: Spawn): Assignment {
  const job = {
    id: spec.job ?? '',
    version: spec.version === 1 ? (1 as const) : (2 as const),
    title: spec.title ?? '',
    queued: spec.queued === undefined ? 0 : parseTime(spec.queued),
  }
  const model = spec.model ?? ''
  const found = spec.purpose === 'Job' ? jobAssignment(cds, settings.name, job, model) : undefined
  // Without the token of its side nothing can be said to CDS about a job; its VM goes all the same.
  return found ?? { ...registrationAssignment(record, { path: model }), spec, jobId: job.id }
}
