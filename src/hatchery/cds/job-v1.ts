import type { Job, Requirement } from '../jobs/job.ts'
import { type Fields, fieldsOf, listOf, namesIn, textIn, timeIn } from './reading.ts'

/** A V1 job from the queue; undefined if it has no number. `now` stands for a time that is not said. */
export function readJobV1(value: unknown, now: number): Job | undefined {
  const job = fieldsOf(value)
  const id = textIn(job, 'id')
  if (!/^[1-9]\d*$/.test(id)) return undefined
  const action = fieldsOf(fieldsOf(job['job'])['action'])
  return {
    version: 1,
    id,
    project: projectOf(job),
    queued: timeIn(job, 'queued') ?? now,
    status: textIn(job, 'status'),
    takenBy: holderOf(fieldsOf(job['bookedby'])),
    requirements: listOf(action['requirements']).map(requirementOf),
    groups: namesIn(job, 'exec_groups'),
    model: undefined,
    runsOn: undefined,
    title: titleOf(job, textIn(action, 'name')),
  }
}

/** Its key, which CDS sends along for the log; failing that, its number. */
function projectOf(job: Fields): string {
  return textIn(fieldsOf(job['header']), 'X-Project-Key') || textIn(job, 'project_id')
}

/** A service without a name has the job all the same. */
function holderOf(service: Fields): string {
  const id = textIn(service, 'id')
  return textIn(service, 'name') || (id === '' || id === '0' ? '' : `service ${id}`)
}

function requirementOf(value: unknown): Requirement {
  const fields = fieldsOf(value)
  return { name: textIn(fields, 'name'), type: textIn(fields, 'type'), value: textIn(fields, 'value') }
}

function titleOf(job: Fields, name: string): string {
  const header = fieldsOf(job['header'])
  const run = textIn(header, 'X-Workflow-Run')
  const workflow = [projectOf(job), textIn(header, 'X-Workflow')].filter(each => each !== '').join('/')
  return `${workflow}${run === '' ? '' : `#${run}`} ${name}`.trim()
}
