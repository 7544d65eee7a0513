import type { RegisteredWorker } from './cds.ts'
import { fieldsOf, textIn } from './reading.ts'

/** A worker that signed in; undefined if it has no name. */
export function readWorker(value: unknown, version: 1 | 2): RegisteredWorker | undefined {
  const worker = fieldsOf(value)
  const name = textIn(worker, 'name')
  if (name === '') return undefined
  const job = textIn(worker, version === 1 ? 'job_run_id' : 'run_job_id')
  return {
    version,
    id: textIn(worker, 'id'),
    name,
    status: textIn(worker, 'status'),
    jobId: job === '0' ? '' : job,
    modelName: textIn(worker, 'model_name'),
    raw: worker,
  }
}
