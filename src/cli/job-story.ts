import type { WorkerRow } from '../hatchery/index.ts'
import { Spawn } from '../kinds/index.ts'
import { fieldSelectorValue, StoreError } from '../store/index.ts'
import type { Connection } from './connection.ts'
import { Usage } from './errors.ts'
import { read } from './hatchery-view.ts'

/** What is known of a job of CDS: the records of what is done for it, one of each hatchery that could do it; or the worker that has it. */
export type JobStory = { readonly spawns: readonly Spawn[] } | { readonly worker: WorkerRow }

/** The job or worker that `job/ID`, `job ID` or `worker/NAME` names; undefined if something else is named. */
export function namedInCds(args: readonly string[]): { readonly what: 'job' | 'worker'; readonly name: string } | undefined {
  const [kind = '', name, ...more] = args.flatMap(arg => arg.split('/'))
  const what = (['job', 'worker'] as const).find(each => kind === each || kind === `${each}s`)
  if (what === undefined) return undefined
  if (!name || more.length > 0)
    throw Usage({ what: `which ${what}?`, fix: `write for example ${examples[what]}; aviary hatchery ${what}s shows all` })
  return { what, name }
}

const examples = { job: 'job/1', worker: 'worker/brisk-robin' }

/** Looks a job up. Rejects with NotFound if it neither waits here nor has a worker. */
export async function jobStory(id: string, connection: Connection, signal: AbortSignal): Promise<JobStory> {
  const spawns = await spawnsFor(id, connection)
  if (spawns.length > 0) return { spawns }
  const worker = (await workers(connection, signal)).find(({ job }) => job === id)
  if (worker !== undefined) return { worker }
  const fix = 'see which do with `aviary hatchery jobs`; what is over is told by CDS'
  throw new StoreError('NotFound', `job ${id} does not wait for this hatchery, and none of its workers has it`, { fix })
}

/** Looks a worker up: while it is being started, what is done for its job tells more than the worker. */
export async function workerStory(name: string, connection: Connection, signal: AbortSignal): Promise<JobStory> {
  const worker = (await workers(connection, signal)).find(each => each.name === name)
  if (worker === undefined)
    throw new StoreError('NotFound', `this hatchery has no worker ${name}`, { fix: 'see which it has with `aviary hatchery workers`' })
  const spawns = (await spawnsFor(worker.job, connection)).filter(({ status }) => status?.worker === name)
  return spawns.length > 0 ? { spawns } : { worker }
}

async function workers(connection: Connection, signal: AbortSignal): Promise<readonly WorkerRow[]> {
  return (await read<WorkerRow>(connection, 'workers', signal)).items
}

/** The records of a job. Several hatcheries may keep one store, and each has its own reason why it does not start the job. */
async function spawnsFor(job: string, { store }: Connection): Promise<readonly Spawn[]> {
  if (!isJobId.test(job)) return []
  const { items } = await store.list(Spawn, { fieldSelector: `spec.job=${fieldSelectorValue(job.toLowerCase())}` })
  return items.map(({ object }) => object).toSorted((one, other) => (one.spec.hatchery < other.spec.hatchery ? -1 : 1))
}

/** A number (V1) or a UUID (V2). */
const isJobId = /^[\da-f-]+$/i

/** Whose a record is, if it is one of several. */
export function ownerText({ spec }: Spawn, { length }: readonly Spawn[]): string {
  return length === 1 ? '' : `Hatchery ${spec.hatchery}:\n`
}

const whenItDoesNot =
  'It waits until the worker signs in to CDS. If that lasts, look at /tmp/worker.log and /tmp/cds-worker-setup.log in the guest, and whether the guest reaches the CDS API.'

/** The story of a job that has its worker, in a sentence or two. */
export function workerText({ name, job, status, started, address }: WorkerRow): string {
  const since = started === '' ? '' : `, since ${started.replace('T', ' ')}`
  const at = address === '' ? '' : ` at ${address}`
  if (status === 'Pending')
    return `Worker ${name}${at} was started${job === '' ? '' : ` for job ${job}`}, and CDS does not know it yet (${status}${since}).\n${whenItDoesNot}\n`
  if (job === '') return `Worker ${name}${at} waits for nothing here, and it is not known which job it has (${status}${since}).\n`
  return `Job ${job} waits for nothing here: worker ${name}${at} has it (${status}${since}).\n`
}
