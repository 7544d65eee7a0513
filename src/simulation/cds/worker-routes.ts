import { CdsRefusal } from './cds-refusal.ts'
import type { Parts } from './parts.ts'
import { hatcheryV1, jobOfRegion, jobV1, jobV2, mayUpdateJobV2, workerV1, workerV2 } from './permissions.ts'
import { mustGoOn } from './queue-v2.ts'
import type { StatusV2 } from './records.ts'
import { bodyOf, json, nothing, type Route, routesFor, textAt } from './route.ts'
import * as wire from './wire.ts'
import { signInV1, signInV2 } from './worker-sign-in.ts'

const door = routesFor('everybody')
const v1 = routesFor('v1')
const queueV1 = routesFor('v1', 'RunExecution')
const queueV2 = routesFor('signed in', 'RunExecution')

/** What a worker asks: sign in with the token that its hatchery made, take its job, say that it lives, send the result, sign out. */
export function workerRoutes(parts: Parts): readonly Route[] {
  return [...routesV1(parts), ...routesV2(parts)]
}

function routesV1(parts: Parts): readonly Route[] {
  const { queueV1: jobs, workersV1: workers, clock } = parts
  return [
    door('worker sign in v1', 'POST /auth/consumer/worker/signin', call => signInV1(parts, call)),
    v1('worker sign out v1', 'POST /auth/consumer/worker/signout', call => {
      workers.disable(workerV1(call).worker, 'worker signed out')
      return nothing
    }),
    v1('worker waits v1', 'POST /worker/waiting', call => {
      workerV1(call)
      return nothing
    }),
    v1('worker refresh v1', 'POST /worker/refresh', call => {
      workerV1(call).worker.lastBeat = clock.now()
      return nothing
    }),
    queueV1('worker take v1', 'POST /queue/workflows/{job}/take', call => {
      const job = jobV1(parts, call)
      workers.take(workerV1(call).worker, job)
      return json({ NodeJobRun: wire.jobV1(job, clock.now()), Secrets: [], Number: job.run, SubNumber: 0, ProjectKey: job.project.key })
    }),
    queueV1('result v1', 'POST /queue/workflows/{job}/result', call => {
      const job = jobV1(parts, call)
      const body = bodyOf(call.request)
      const status = textAt(body, 'status')
      if (Number(body['buildID']) !== job.id) throw new CdsRefusal('forbidden')
      // A hatchery may only give up on a job that nobody has begun.
      if (call.caller?.consumer.kind === 'worker v1') workers.done(call.caller.consumer.worker)
      else if (hatcheryV1(call) && job.status !== 'Waiting') throw new CdsRefusal('forbidden')
      jobs.end(job, status === 'Success' || status === 'Stopped' ? status : 'Fail', textAt(body, 'reason'))
      return nothing
    }),
  ]
}

function routesV2(parts: Parts): readonly Route[] {
  const { queueV2: jobs, workersV2: workers, clock } = parts
  return [
    door('worker sign in v2', 'POST /v2/queue/{region}/job/{job}/worker/signin', call => signInV2(parts, call)),
    queueV2('worker take v2', 'POST /v2/queue/{region}/job/{job}/worker/take', call => {
      const { worker } = workerV2(call)
      const job = jobV2(parts, call)
      workers.take(worker, job)
      return json({ run_job: wire.jobV2(job), actions: null, signing_key: '', contexts: {}, sensitive_datas: [] })
    }),
    queueV2('worker refresh v2', 'POST /v2/queue/{region}/job/{job}/worker/refresh', call => {
      workerV2(call).worker.lastBeat = clock.now()
      return nothing
    }),
    queueV2('result v2', 'POST /v2/queue/{region}/job/{job}/result', call => {
      const hatchery = mayUpdateJobV2(parts, call)
      const body = bodyOf(call.request)
      const job = jobOfRegion(parts, call)
      mustGoOn(job)
      if (job.hatchery !== hatchery.name) throw new CdsRefusal('forbidden')
      if (textAt(body, 'error') !== '') jobs.inform(job, 'error', textAt(body, 'error'))
      jobs.end(job, textAt(body, 'status') as StatusV2)
      return nothing
    }),
    queueV2('worker sign out v2', 'POST /v2/queue/{region}/job/{job}/worker/signout', call => {
      workers.signOut(workerV2(call).worker)
      return nothing
    }),
  ]
}
