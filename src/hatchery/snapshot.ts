import type { WaitingJob } from './dispatch/waiting-job.ts'
import type { Fleet } from './fleet/fleet.ts'
import type { WorkerPool } from './gates/worker-pool.ts'
import { isoTime } from '../ports/index.ts'
import type { SpawnRecords } from './spawn/spawn-records.ts'

/** A worker, for people. Texts are empty where nothing is known. */
export interface WorkerRow {
  readonly name: string
  /** Waiting, Building, Disabled and so on as CDS says; Pending or Registering if it does not know it yet. */
  readonly status: string
  readonly job: string
  readonly model: string
  readonly flavor: string
  readonly cpus: number | undefined
  readonly memoryMB: number | undefined
  readonly address: string
  /** On, off or suspended; empty if it has no VM. */
  readonly power: string
  readonly started: string
}

/** A job that waits or is being started, for people. */
export interface JobRow {
  readonly job: string
  readonly version: 1 | 2
  readonly title: string
  readonly queued: string
  readonly phase: string
  readonly reason: string
  readonly message: string
  readonly unblock: string
  /** When it is looked at again in any case. */
  readonly until: string
  readonly attempts: number
  readonly lastError: string
  readonly worker: string
}

/** All workers with their VMs. */
export function workerRows(pool: WorkerPool, fleet: Fleet): readonly WorkerRow[] {
  return pool.workers().map(({ name, status, registered }) => {
    const found = fleet.ownNamed(name)
    const { vm, note } = found ?? {}
    return {
      name,
      status,
      job: firstOf(registered?.jobId, note?.jobId),
      model: firstOf(registered?.modelName, note?.workerModelPath, note?.vmwareModelPath),
      flavor: note?.flavor ?? '',
      cpus: vm?.cpus,
      memoryMB: vm?.memoryMB,
      address: firstOf(note?.ipAddress, vm?.addresses[0]),
      power: vm?.power ?? '',
      started: note?.workerStartTime === undefined ? '' : isoTime(note.workerStartTime),
    }
  })
}

/** All jobs with what their records say. */
export function jobRows(jobs: readonly Readonly<WaitingJob>[], records: SpawnRecords): readonly JobRow[] {
  return jobs.map(({ job, refusal, isStarting }) => {
    const { status } = records.ofJob(job.id) ?? {}
    const condition = status?.conditions?.find(({ type }) => type === 'Ready')
    return {
      job: job.id,
      version: job.version,
      title: job.title,
      queued: job.queued > 0 ? isoTime(job.queued) : '',
      phase: status?.phase ?? (isStarting ? 'Taking' : 'Waiting'),
      reason: firstOf(condition?.reason, refusal?.reason),
      message: firstOf(condition?.message, refusal?.message, 'nobody has looked at it yet'),
      unblock: firstOf(condition?.unblock, refusal?.unblock),
      until: condition?.until ?? '',
      attempts: status?.attempts ?? 0,
      lastError: status?.lastError ?? '',
      worker: status?.worker ?? '',
    }
  })
}

function firstOf(...texts: readonly (string | undefined)[]): string {
  return texts.find(text => text !== undefined && text !== '') ?? ''
}
