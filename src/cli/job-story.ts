import type { WorkerRow } from '../hatchery/index.ts'
import { Spawn } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'
import type { Connection } from './connection.ts'
import { read } from './hatchery-view.ts'

/** What is known of a job of CDS: the record of what is done for it, or the worker that has it. */
export type JobStory = { readonly spawn: Spawn } | { readonly worker: WorkerRow }

/** The number or UUID of the job that `job/ID` or `job ID` names; undefined if something else is named. */
export function jobNamed(args: readonly string[]): string | undefined {
  const [kind, id, ...more] = args.flatMap(arg => arg.split('/'))
  return (kind === 'job' || kind === 'jobs') && id !== undefined && more.length === 0 ? id : undefined
}

/** Looks a job up. Rejects with NotFound if it neither waits here nor has a worker. */
export async function jobStory(id: string, connection: Connection, signal: AbortSignal): Promise<JobStory> {
  try {
    return { spawn: await connection.store.get(Spawn, { name: `job-${id.toLowerCase()}` }) }
  } catch (error) {
    if (!StoreError.is(error, 'NotFound')) throw error
  }
  const worker = (await read<WorkerRow>(connection, 'workers', signal)).find(({ job }) => job === id)
  if (worker !== undefined) return { worker }
  const fix = 'see which do with `aviary hatchery jobs`; what is over is told by CDS'
  throw new StoreError('NotFound', `job ${id} does not wait for this hatchery, and none of its workers has it`, { fix })
}

/** The story of a job that has its worker, in one sentence. */
export function workerText(id: string, { name, status, started, address }: WorkerRow): string {
  const since = started === '' ? '' : `, since ${started.replace('T', ' ')}`
  const at = address === '' ? '' : ` at ${address}`
  return `Job ${id} waits for nothing here: worker ${name}${at} has it (${status}${since}).\n`
}
