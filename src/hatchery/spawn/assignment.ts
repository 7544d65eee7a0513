import type { Cds, WorkerIdentity } from '../cds/cds.ts'
import type { Job } from '../jobs/job.ts'
import type { StarterModel } from '../models/starter-model.ts'
import { jobSpec } from './job-spec.ts'
import { jobRecord, type SpawnSpec } from './spawn-records.ts'

/** What a worker is started for, and what CDS does and hears about it. */
export interface Assignment {
  readonly purpose: 'Job' | 'Registration'
  /** The name of its record. */
  readonly record: string
  readonly spec: SpawnSpec
  /** Which queue the job comes from; a registration is of V1. */
  readonly version: 1 | 2
  /** Empty for a registration. */
  readonly jobId: string
  /** Makes the job this hatchery's. False if it is another's, or gone. */
  take(signal: AbortSignal): Promise<boolean>
  /** How it stands: ours and no worker has it; ours and a worker has it; or not ours to give back. */
  standing(signal: AbortSignal): Promise<'taken' | 'running' | 'not ours'>
  /** Gives the job back. Only right after `standing` said that it is ours, and when no worker of ours can begin it any more. */
  release(signal: AbortSignal): Promise<void>
  /** Tells whoever watches the job. */
  tell(news: SpawnNews, signal: AbortSignal): Promise<void>
}

/** What people who watch a job are told. */
export type SpawnNews =
  | { readonly kind: 'starts'; readonly worker: string; readonly model: string }
  | { readonly kind: 'size'; readonly text: string }
  | { readonly kind: 'failed'; readonly worker: string; readonly model: string; readonly after: string; readonly error: string }
  | { readonly kind: 'deprecated'; readonly model: string }

/** Seconds for which a V1 job is booked: a whole spawn, and time for its worker to come up. */
const bookFor = 12 * 60

/** The assignment of a job, V1 or V2. Undefined if the side of CDS that it belongs to is not configured (any more). */
export function jobAssignment(
  cds: Cds,
  hatchery: string,
  job: Pick<Job, 'version' | 'id' | 'title' | 'queued'>,
  model: string,
): Assignment | undefined {
  const base = { purpose: 'Job' as const, record: jobRecord(job.id), spec: jobSpec(job, model), version: job.version, jobId: job.id }
  if (job.version === 1) return v1Assignment(cds, hatchery, base)
  return v2Assignment(cds, hatchery, base)
}

/** The assignment of a worker that registers a V1 model: nothing is taken, and nobody watches. */
export function registrationAssignment(record: string, model: Pick<StarterModel, 'path'>): Assignment {
  return {
    purpose: 'Registration',
    record,
    spec: { purpose: 'Registration', version: 1, model: model.path },
    version: 1,
    jobId: '',
    take: () => Promise.resolve(true),
    standing: () => Promise.resolve('not ours'),
    release: () => Promise.resolve(),
    tell: () => Promise.resolve(),
  }
}

/** Whom the token of a worker is for. */
export function identityOf(worker: string, { purpose, version, jobId }: Assignment, model: StarterModel): WorkerIdentity {
  const isV1 = model.version === 1
  return {
    worker,
    version,
    jobId,
    registerOnly: purpose === 'Registration',
    modelId: isV1 ? model.id : undefined,
    modelName: isV1 ? (model.path.split('/').pop() ?? model.name) : model.name,
  }
}

/**
 * Whether the job is ours now. An answer may have been lost, to this call or to one before a crash: then CDS says that somebody has
 * it, and that somebody is us.
 */
async function taken(take: () => Promise<boolean>, standing: () => Promise<'taken' | 'running' | 'not ours'>): Promise<boolean> {
  try {
    if (await take()) return true
  } catch (error) {
    if ((await standing()) === 'taken') return true
    throw error
  }
  return (await standing()) === 'taken'
}

type Base = Pick<Assignment, 'purpose' | 'record' | 'spec' | 'version' | 'jobId'>

function v1Assignment({ v1 }: Cds, hatchery: string, base: Base): Assignment | undefined {
  if (v1 === undefined) return undefined
  const { jobId } = base
  const standing = async (signal: AbortSignal) => {
    const job = await v1.job(jobId, signal)
    if (job?.takenBy !== hatchery) return 'not ours'
    return job.status === 'Waiting' ? 'taken' : 'running'
  }
  const says = {
    starts: 'MsgSpawnInfoHatcheryStarts',
    failed: 'MsgSpawnInfoHatcheryErrorSpawn',
    deprecated: 'MsgSpawnInfoDeprecatedModel',
  } as const
  return {
    ...base,
    standing,
    take: signal =>
      taken(
        () => v1.book(jobId, bookFor, signal),
        () => standing(signal),
      ),
    release: signal => v1.release(jobId, signal),
    tell: async (news, signal) => {
      if (news.kind === 'starts') await v1.spawnInfo(jobId, says.starts, [hatchery, news.worker, news.model], signal)
      if (news.kind === 'failed') await v1.spawnInfo(jobId, says.failed, [hatchery, news.model, news.after, news.error], signal)
      if (news.kind === 'deprecated') await v1.spawnInfo(jobId, says.deprecated, [news.model], signal)
    },
  }
}

function v2Assignment({ v2 }: Cds, hatchery: string, base: Base): Assignment | undefined {
  if (v2 === undefined) return undefined
  const { jobId } = base
  const standing = async (signal: AbortSignal) => {
    const job = await v2.job(jobId, signal)
    if (job?.takenBy !== hatchery) return 'not ours'
    // Only these two may be given back: the API puts a job that succeeded back into the queue as well, if it is told to.
    return job.status === 'Scheduling' ? 'taken' : job.status === 'Building' ? 'running' : 'not ours'
  }
  return {
    ...base,
    standing,
    take: signal =>
      taken(
        () => v2.take(jobId, signal),
        () => standing(signal),
      ),
    release: signal => v2.release(jobId, signal),
    tell: async (news, signal) => {
      if (news.kind === 'starts') {
        await v2.info(jobId, 'info', `Hatchery "${hatchery}" is starting the worker "${news.worker}" from model "${news.model}"`, signal)
      }
      if (news.kind === 'size') await v2.info(jobId, 'info', news.text, signal)
      if (news.kind === 'failed') {
        const text = `Error while Hatchery ${hatchery} spawns worker ${news.worker} with model ${news.model} after ${news.after}, err: ${news.error}`
        await v2.info(jobId, 'error', text, signal)
      }
    },
  }
}
