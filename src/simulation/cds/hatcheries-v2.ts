import { parseTime } from '../../ports/index.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { Parts } from './parts.ts'
import { hatcheryOfRegion, jobOfRegion, jobV2, mayUpdateJobV2 } from './permissions.ts'
import { bodyOf, json, nothing, type Route, routesFor, textAt } from './route.ts'
import * as wire from './wire.ts'

const queue = routesFor('signed in', 'RunExecution')
const worker = routesFor('signed in', 'Hatchery')
const model = routesFor('signed in')

/** What a V2 hatchery asks about jobs, workers and models. */
export function hatcheriesV2(parts: Parts): readonly Route[] {
  const { queueV2, workersV2, models, clock } = parts
  return [
    queue('queue v2', 'GET /v2/queue/{region}', call => {
      const hatchery = hatcheryOfRegion(parts, call)
      const asked = call.query.getAll('osarch')
      const jobs = queueV2.waiting(call.path['region'] ?? '', hatchery.modelType, asked.length === 0 ? ['linux/amd64'] : asked)
      return json(jobs.map(wire.jobV2))
    }),
    queue('job v2', 'GET /v2/queue/{region}/job/{job}', call => {
      mayUpdateJobV2(parts, call)
      const job = jobV2(parts, call)
      if (job.region !== call.path['region']) throw new CdsRefusal('forbidden')
      return json({ runjob: wire.jobV2(job), model: job.model })
    }),
    queue('take v2', 'POST /v2/queue/{region}/job/{job}/hatchery/take', call => {
      const hatchery = hatcheryOfRegion(parts, call)
      const job = jobOfRegion(parts, call)
      queueV2.take(job, hatchery)
      return json(wire.jobV2(job))
    }),
    queue('release v2', 'DELETE /v2/queue/{region}/job/{job}/hatchery/take', call => {
      const hatchery = hatcheryOfRegion(parts, call)
      const job = jobV2(parts, call)
      const region = call.path['region']
      if (job.region !== region || job.hatchery !== hatchery.name) {
        throw new CdsRefusal('invalidData', `unknown job ${job.id} on region ${region} taken by hatchery ${hatchery.name}`)
      }
      queueV2.release(job, hatchery)
      return nothing
    }),
    queue('info v2', 'POST /v2/queue/{region}/job/{job}/info', call => {
      mayUpdateJobV2(parts, call)
      const body = bodyOf(call.request)
      const job = jobV2(parts, call)
      queueV2.inform(job, textAt(body, 'level'), textAt(body, 'message'), timeOf(body['time']) ?? clock.now())
      return nothing
    }),
    worker('workers v2', 'GET /v2/worker', ({ caller }) => {
      const consumer = caller?.consumer
      if (consumer?.kind !== 'hatchery' && consumer?.kind !== 'worker v2') throw new CdsRefusal('forbidden')
      const hatchery = consumer.kind === 'hatchery' ? consumer.hatchery : consumer.parent.hatchery
      const workers = workersV2.of(hatchery)
      // Not an empty list.
      return json(workers.length === 0 ? null : workers.map(wire.workerV2))
    }),
    model('model v2', 'GET /v2/project/{project}/vcs/{vcs}/repository/{repository}/workermodel/{model}', ({ path, query }) => {
      const reference = `${path['project']}/${path['vcs']}/${path['repository']}/${path['model']}`
      return json(models.v2(reference, query.get('branch') ?? 'master'))
    }),
  ]
}

function timeOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  try {
    return parseTime(String(value))
  } catch {
    throw new CdsRefusal('wrongRequest')
  }
}
