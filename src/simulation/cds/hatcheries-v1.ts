import { CdsRefusal } from './cds-refusal.ts'
import type { Parts } from './parts.ts'
import { hatcheryV1, jobV1, mayUseGroup } from './permissions.ts'
import type { ModelV1 } from './records.ts'
import { bodyOf, type Call, json, listOf, nothing, type Route, routesFor, textAt } from './route.ts'
import * as wire from './wire.ts'

const queue = routesFor('v1', 'RunExecution')
const worker = routesFor('v1', 'Hatchery')
const model = routesFor('v1', 'WorkerModel')

/** What a V1 hatchery asks about jobs, workers and models. */
export function hatcheriesV1(parts: Parts): readonly Route[] {
  const { queueV1, workersV1, models, clock } = parts
  return [
    queue('queue v1', 'GET /queue/workflows', call => {
      const modelType = call.query.get('modelType') ?? ''
      if (!['', 'docker', 'openstack', 'vsphere'].includes(modelType)) throw new CdsRefusal('wrongRequest', 'invalid given modelType')
      const { groups } = hatcheryV1(call)
      return json(queueV1.waiting(modelType, call.query.getAll('region'), groups).map(job => wire.jobV1(job, clock.now())))
    }),
    queue('job v1', 'GET /queue/workflows/{job}/infos', call => json(wire.jobV1(jobV1(parts, call), clock.now()))),
    queue('book v1', 'POST /queue/workflows/{job}/book', call => {
      const job = jobV1(parts, call)
      const { service } = hatcheryV1(call)
      queueV1.book(job, service, Number(bodyOf(call.request)['delay'] ?? 0))
      return json(wire.bookedJobV1(job))
    }),
    queue('release v1', 'DELETE /queue/workflows/{job}/book', call => {
      const job = jobV1(parts, call)
      hatcheryV1(call)
      queueV1.free(job)
      return json(null)
    }),
    queue('spawn info v1', 'POST /queue/workflows/{job}/spawn/infos', call => {
      const job = jobV1(parts, call)
      if (call.caller?.consumer.kind !== 'worker v1') hatcheryV1(call)
      for (const each of listOf(call.request)) {
        const message = (each as { readonly message?: { readonly id?: string; readonly args?: readonly unknown[] } } | null)?.message
        job.infos.push({ id: message?.id ?? '', args: message?.args ?? [], time: clock.now() })
      }
      return nothing
    }),
    worker('workers v1', 'GET /worker', call => json(workersV1.of(hatcheryV1(call).service).map(wire.workerV1))),
    worker('disable v1', 'POST /worker/{worker}/disable', call => {
      const found = workersV1.find(call.path['worker'] ?? '')
      if (found === undefined) throw new CdsRefusal('notFound')
      if (found.hatchery !== hatcheryV1(call).service) throw new CdsRefusal('forbidden')
      workersV1.disable(found, 'worker disabled')
      return nothing
    }),
    model('models v1', 'GET /worker/model/enabled', call => json(models.usable(hatcheryV1(call).groups).map(wire.modelV1))),
    model('model v1', 'GET /worker/model/{group}/{model}', call => json(wire.modelV1(modelOf(parts, call)))),
    model('model secrets v1', 'GET /worker/model/{group}/{model}/secret', call => {
      const found = modelOf(parts, call)
      hatcheryV1(call)
      return json(wire.secretsV1(found))
    }),
    model('book model v1', 'PUT /worker/model/{group}/{model}/book', call => {
      models.book(modelOf(parts, call), hatcheryV1(call).service)
      return nothing
    }),
    model('model error v1', 'PUT /worker/model/{group}/{model}/error', call => {
      const found = modelOf(parts, call)
      const body = bodyOf(call.request)
      // Go reads the keys whatever their case.
      const error = textAt(body, 'Error') || textAt(body, 'error')
      if (error === '') return nothing
      models.failed(found, error)
      return json(null)
    }),
  ]
}

function modelOf(parts: Parts, call: Call): ModelV1 {
  const group = call.path['group'] ?? ''
  mayUseGroup(parts, call, group)
  return parts.models.v1(group, call.path['model'] ?? '')
}
