import { parseTime } from '../../ports/index.ts'
import { CdsRefusal } from './cds-refusal.ts'
import { cdn } from './hatcheries-v1.ts'
import type { Parts } from './parts.ts'
import { hatcheryOfRegion, hatcheryV2, jobV2, mayUpdateJobV2 } from './permissions.ts'
import { bodyOf, json, nothing, type Route, textAt } from './route.ts'
import * as wire from './wire.ts'

/** What a V2 hatchery asks: jobs, workers, models, heartbeat. */
export function hatcheriesV2(parts: Parts): readonly Route[] {
  const { queueV2, workersV2, models, clock } = parts
  return [
    {
      name: 'heartbeat v2',
      method: 'POST',
      path: '/v2/hatchery/heartbeat',
      for: 'signed in',
      scope: 'Hatchery',
      answer: call => {
        const hatchery = hatcheryV2(call)
        const lines = bodyOf(call.request)['lines']
        hatchery.status = Array.isArray(lines) ? lines : []
        hatchery.lastHeartbeat = clock.now()
        parts.witness.tell('heartbeat', { by: hatchery.name, detail: 'v2' })
        return nothing
      },
    },
    {
      name: 'cdn v2',
      method: 'GET',
      path: '/v2/config/cdn',
      for: 'signed in',
      answer: () => cdn(parts),
    },
    {
      name: 'queue v2',
      method: 'GET',
      path: '/v2/queue/{region}',
      for: 'signed in',
      scope: 'RunExecution',
      answer: call => {
        const hatchery = hatcheryOfRegion(parts, call)
        const asked = call.query.getAll('osarch')
        const jobs = queueV2.waiting(call.path['region'] ?? '', hatchery.modelType, asked.length === 0 ? ['linux/amd64'] : asked)
        return json(jobs.map(wire.jobV2))
      },
    },
    {
      name: 'job v2',
      method: 'GET',
      path: '/v2/queue/{region}/job/{job}',
      for: 'signed in',
      scope: 'RunExecution',
      answer: call => {
        mayUpdateJobV2(parts, call)
        const job = jobV2(parts, call)
        if (job.region !== call.path['region']) throw new CdsRefusal('forbidden')
        return json({ runjob: wire.jobV2(job), model: job.model })
      },
    },
    {
      name: 'take v2',
      method: 'POST',
      path: '/v2/queue/{region}/job/{job}/hatchery/take',
      for: 'signed in',
      scope: 'RunExecution',
      answer: call => {
        const hatchery = hatcheryOfRegion(parts, call)
        const job = jobV2(parts, call)
        if (job.region !== call.path['region']) {
          throw new CdsRefusal('invalidData', `unknown job ${job.id} on region ${call.path['region']}`)
        }
        queueV2.take(job, hatchery)
        return json(wire.jobV2(job))
      },
    },
    {
      name: 'release v2',
      method: 'DELETE',
      path: '/v2/queue/{region}/job/{job}/hatchery/take',
      for: 'signed in',
      scope: 'RunExecution',
      answer: call => {
        const hatchery = hatcheryOfRegion(parts, call)
        const job = jobV2(parts, call)
        const region = call.path['region']
        if (job.region !== region || job.hatchery !== hatchery.name) {
          throw new CdsRefusal('invalidData', `unknown job ${job.id} on region ${region} taken by hatchery ${hatchery.name}`)
        }
        queueV2.release(job, hatchery)
        return nothing
      },
    },
    {
      name: 'info v2',
      method: 'POST',
      path: '/v2/queue/{region}/job/{job}/info',
      for: 'signed in',
      scope: 'RunExecution',
      answer: call => {
        mayUpdateJobV2(parts, call)
        const body = bodyOf(call.request)
        const job = jobV2(parts, call)
        queueV2.inform(job, textAt(body, 'level'), textAt(body, 'message'), timeOf(body['time']) ?? clock.now())
        return nothing
      },
    },
    {
      name: 'workers v2',
      method: 'GET',
      path: '/v2/worker',
      for: 'signed in',
      scope: 'Hatchery',
      answer: ({ caller }) => {
        const consumer = caller?.consumer
        if (consumer?.kind !== 'hatchery' && consumer?.kind !== 'worker v2') throw new CdsRefusal('forbidden')
        const hatchery = consumer.kind === 'hatchery' ? consumer.hatchery : consumer.parent.hatchery
        const workers = workersV2.of(hatchery)
        // Not an empty list.
        return json(workers.length === 0 ? null : workers.map(wire.workerV2))
      },
    },
    {
      name: 'model v2',
      method: 'GET',
      path: '/v2/project/{project}/vcs/{vcs}/repository/{repository}/workermodel/{model}',
      for: 'signed in',
      answer: ({ path, query }) => {
        const reference = `${path['project']}/${path['vcs']}/${path['repository']}/${path['model']}`
        return json(models.v2(reference, query.get('branch') ?? 'master'))
      },
    },
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
