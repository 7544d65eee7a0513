import type { Job } from '../jobs/job.ts'
import { readModelV2 } from './model-v2.ts'
import { type Fields, fieldsOf, textIn, timeIn } from './reading.ts'

/** A V2 job; undefined if it has no id. The queue shows jobs without their model, a job alone has it beside it. */
export function readJobV2(runJob: unknown, model: unknown, now: number): Job | undefined {
  const job = fieldsOf(runJob)
  const id = textIn(job, 'id')
  if (id === '') return undefined
  return {
    version: 2,
    id,
    project: textIn(job, 'project_key'),
    queued: timeIn(job, 'queued') ?? now,
    status: textIn(job, 'status'),
    takenBy: textIn(job, 'hatchery_name'),
    requirements: [],
    groups: [],
    model: readModelV2(model),
    runsOn: runsOnOf(fieldsOf(job['job'])['runs-on']),
    title: `${textIn(job, 'project_key')}/${textIn(job, 'workflow_name')}#${textIn(job, 'run_number')} ${textIn(job, 'job_id')}`,
  }
}

/** Either the name of a model, or an object with it. */
function runsOnOf(value: unknown): Job['runsOn'] {
  const fields: Fields = typeof value === 'string' ? { model: value } : fieldsOf(value)
  const runsOn = { model: textIn(fields, 'model'), flavor: textIn(fields, 'flavor') }
  return runsOn.model === '' && runsOn.flavor === '' ? undefined : runsOn
}
