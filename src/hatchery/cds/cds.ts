import type { Job, V2Model } from '../jobs/job.ts'
import type { Secret } from '../../ports/index.ts'

/** A worker that signed in to CDS. */
export interface RegisteredWorker {
  readonly version: 1 | 2
  readonly id: string
  readonly name: string
  readonly status: string
  /** The job that it works on; empty if none. */
  readonly jobId: string
  readonly modelName: string
  /** The answer as it came, for `/mon/workers`. */
  readonly raw: object
}

/** A V1 worker model as the API keeps it. */
export interface V1Model {
  readonly id: number
  readonly name: string
  readonly group: string
  readonly type: string
  readonly disabled: boolean
  readonly restricted: boolean
  readonly registeredOs: string
  readonly registeredArch: string
  readonly needRegistration: boolean
  readonly checkRegistration: boolean
  /** Seconds since 1970. */
  readonly userLastModified: number
  readonly spawnErrors: number
  readonly isDeprecated: boolean
  readonly capabilities: readonly string[]
  readonly image: string
  readonly flavor: string
  readonly preCmd: string
  readonly cmd: string
  readonly postCmd: string
  readonly user: string
  /** May hold `{{.secrets.x}}`. */
  readonly password: string
}

/** A line of the status that CDS shows. */
export interface StatusLine {
  readonly status: 'OK' | 'WARN' | 'AL'
  readonly component: string
  readonly value: string
}

/** Where workers send their logs. */
export interface Cdn {
  readonly http: string
  readonly tcp: string
  readonly tcpTls: boolean
}

/**
 * What the CDS API does for V1 and V2 alike. Every call has a deadline besides `signal`, signs in again when its session has ended,
 * and is repeated after a failure of the network only where that does no harm. What CDS refuses rejects with `CdsRefused`, whose
 * `id` is CDS's own number; no answer at all with what the HTTP port says.
 */
interface CdsCalls {
  /** Signs in now. Called by itself whenever there is no session; at the start to find out whether it works. */
  signIn(signal: AbortSignal): Promise<void>
  heartbeat(lines: readonly StatusLine[], signal: AbortSignal): Promise<void>
  /** Undefined while the API knows of no CDN. */
  cdn(signal: AbortSignal): Promise<Cdn | undefined>
  /** Jobs that wait and that nobody has, oldest first. */
  waitingJobs(signal: AbortSignal): Promise<readonly Job[]>
  /** Undefined if it is gone, or no longer ours to see. */
  job(id: string, signal: AbortSignal): Promise<Job | undefined>
  workers(signal: AbortSignal): Promise<readonly RegisteredWorker[]>
}

/** The calls for V1 jobs and models. */
export interface CdsV1 extends CdsCalls {
  /**
   * Takes the job for `seconds`. False if another was faster or the job is gone. A reply that gets lost is made up for by looking who
   * has it; rejects only if that cannot be found out either, and then the job may be booked: release it.
   */
  book(jobId: string, seconds: number, signal: AbortSignal): Promise<boolean>
  /** Gives it back. Resolves too if it was no longer booked. Never gives back a booking of another's, which CDS would let us. */
  release(jobId: string, signal: AbortSignal): Promise<void>
  /** A message for whoever watches the job: one of CDS's own message ids with its arguments. */
  spawnInfo(jobId: string, message: string, args: readonly string[], signal: AbortSignal): Promise<void>
  /** Ends the job as failed. Resolves too if CDS did not let us, because it no longer waits. */
  fail(jobId: string, reason: string, signal: AbortSignal): Promise<void>
  disableWorker(id: string, signal: AbortSignal): Promise<void>
  models(signal: AbortSignal): Promise<readonly V1Model[]>
  model(path: string, signal: AbortSignal): Promise<V1Model | undefined>
  /** By name, as `secrets.x`. */
  modelSecrets(path: string, signal: AbortSignal): Promise<ReadonlyMap<string, Secret>>
  /** False if another registers it. */
  bookModel(path: string, signal: AbortSignal): Promise<boolean>
  modelError(path: string, error: string, signal: AbortSignal): Promise<void>
  signOut(signal: AbortSignal): Promise<void>
}

/** The calls for V2 jobs. */
export interface CdsV2 extends CdsCalls {
  /** From the sign-in; empty before. */
  readonly region: string
  /** False if another was faster, or the job is over. As for a lost reply, see `book`. */
  take(jobId: string, signal: AbortSignal): Promise<boolean>
  /**
   * Puts the job back into the queue if it is still in this hatchery's hands (Scheduling or Building), which it looks at first: CDS
   * itself would start a job again that has succeeded. Each time counts: the fifth fails the job.
   */
  release(jobId: string, signal: AbortSignal): Promise<void>
  info(jobId: string, level: 'info' | 'warning' | 'error', message: string, signal: AbortSignal): Promise<void>
  /** `PROJ/VCS/REPO/MODEL@branch`. Undefined if there is none. */
  model(reference: string, signal: AbortSignal): Promise<V2Model | undefined>
}

/** A CDS API. A side without a token is not there. */
export interface Cds {
  readonly v1: CdsV1 | undefined
  readonly v2: CdsV2 | undefined
  /** The token that a worker signs in with, signed with the hatchery's key and good for an hour. */
  workerToken(worker: WorkerIdentity): Secret
}

/** Whom a worker's token is for. */
export interface WorkerIdentity {
  readonly worker: string
  readonly version: 1 | 2
  /** Empty for a registration. */
  readonly jobId: string
  readonly registerOnly: boolean
  /** V1 jobs on V1 models. */
  readonly modelId: number | undefined
  readonly modelName: string
}

/** Where waiting jobs are heard of: by web socket at once, by asking every 20 s in any case. */
export interface JobSource {
  /** Begins; `onJobs` is told of jobs that may have become ready, by queue order of fairness. */
  start(onJobs: (jobs: readonly Job[]) => void): void
  stop(): Promise<void>
  /** Whether its loops are alive, by the names that CDS's status shows. */
  readonly health: ReadonlyMap<string, boolean>
}
