import { CdsRefusal } from './cds-refusal.ts'
import type { Parts } from './parts.ts'
import { hatcheryV1, jobV1, mayUseGroup } from './permissions.ts'
import type { ModelV1 } from './records.ts'
import { bodyOf, type Call, json, listOf, nothing, type Route, textAt } from './route.ts'
import * as wire from './wire.ts'

/** What a V1 hatchery asks: jobs, workers, models, heartbeat. */
export function hatcheriesV1(parts: Parts): readonly Route[] {
  const { queueV1, workersV1, models, clock } = parts
  return [
    {
      name: 'heartbeat v1',
      method: 'POST',
      path: '/services/heartbeat',
      for: 'v1',
      scope: 'Service',
      answer: ({ caller, request }) => {
        const service = caller?.consumer.kind === 'builtin' ? caller.consumer.service : undefined
        if (service === undefined) throw new CdsRefusal('forbidden')
        const lines = bodyOf(request)['lines']
        service.status = Array.isArray(lines) ? lines : []
        service.lastHeartbeat = clock.now()
        parts.witness.tell('heartbeat', { by: service.name, detail: 'v1' })
        return nothing
      },
    },
    {
      name: 'cdn v1',
      method: 'GET',
      path: '/config/cdn',
      for: 'v1',
      answer: () => cdn(parts),
    },
    {
      name: 'queue v1',
      method: 'GET',
      path: '/queue/workflows',
      for: 'v1',
      scope: 'RunExecution',
      answer: call => {
        const modelType = call.query.get('modelType') ?? ''
        if (!['', 'docker', 'openstack', 'vsphere'].includes(modelType)) throw new CdsRefusal('wrongRequest', 'invalid given modelType')
        const { groups } = hatcheryV1(call)
        return json(queueV1.waiting(modelType, call.query.getAll('region'), groups).map(job => wire.jobV1(job, clock.now())))
      },
    },
    {
      name: 'job v1',
      method: 'GET',
      path: '/queue/workflows/{job}/infos',
      for: 'v1',
      scope: 'RunExecution',
      answer: call => json(wire.jobV1(jobV1(parts, call), clock.now())),
    },
    {
      name: 'book v1',
      method: 'POST',
      path: '/queue/workflows/{job}/book',
      for: 'v1',
      scope: 'RunExecution',
      answer: call => {
        const job = jobV1(parts, call)
        const { service } = hatcheryV1(call)
        const delay = Number(bodyOf(call.request)['delay'] ?? 0)
        queueV1.book(job, service, delay)
        return json(wire.bookedJobV1(job))
      },
    },
    {
      name: 'release v1',
      method: 'DELETE',
      path: '/queue/workflows/{job}/book',
      for: 'v1',
      scope: 'RunExecution',
      answer: call => {
        const job = jobV1(parts, call)
        hatcheryV1(call)
        queueV1.free(job)
        return json(null)
      },
    },
    {
      name: 'spawn info v1',
      method: 'POST',
      path: '/queue/workflows/{job}/spawn/infos',
      for: 'v1',
      scope: 'RunExecution',
      answer: call => {
        const job = jobV1(parts, call)
        if (call.caller?.consumer.kind !== 'worker v1') hatcheryV1(call)
        for (const each of listOf(call.request)) {
          const message = (each as { readonly message?: { readonly id?: string; readonly args?: readonly unknown[] } } | null)?.message
          job.infos.push({ id: message?.id ?? '', args: message?.args ?? [], time: clock.now() })
        }
        return nothing
      },
    },
    {
      name: 'workers v1',
      method: 'GET',
      path: '/worker',
      for: 'v1',
      scope: 'Hatchery',
      answer: call => json(workersV1.of(hatcheryV1(call).service).map(wire.workerV1)),
    },
    {
      name: 'disable v1',
      method: 'POST',
      path: '/worker/{worker}/disable',
      for: 'v1',
      scope: 'Hatchery',
      answer: call => {
        const worker = workersV1.find(call.path['worker'] ?? '')
        if (worker === undefined) throw new CdsRefusal('notFound')
        if (worker.service !== hatcheryV1(call).service) throw new CdsRefusal('forbidden')
        workersV1.disable(worker, 'worker disabled')
        return nothing
      },
    },
    {
      name: 'models v1',
      method: 'GET',
      path: '/worker/model/enabled',
      for: 'v1',
      scope: 'WorkerModel',
      answer: call => json(models.usable(hatcheryV1(call).groups).map(wire.modelV1)),
    },
    {
      name: 'model v1',
      method: 'GET',
      path: '/worker/model/{group}/{model}',
      for: 'v1',
      scope: 'WorkerModel',
      answer: call => json(wire.modelV1(model(parts, call))),
    },
    {
      name: 'model secrets v1',
      method: 'GET',
      path: '/worker/model/{group}/{model}/secret',
      for: 'v1',
      scope: 'WorkerModel',
      answer: call => {
        const found = model(parts, call)
        hatcheryV1(call)
        return json(
          Array.from(found.secrets, ([name, value]) => ({
            id: `${found.id}-${name}`,
            created: wire.time(found.userLastModified),
            worker_model_id: found.id,
            name,
            value,
          })),
        )
      },
    },
    {
      name: 'book model v1',
      method: 'PUT',
      path: '/worker/model/{group}/{model}/book',
      for: 'v1',
      scope: 'WorkerModel',
      answer: call => {
        const found = model(parts, call)
        models.book(found, hatcheryV1(call).service)
        return nothing
      },
    },
    {
      name: 'model error v1',
      method: 'PUT',
      path: '/worker/model/{group}/{model}/error',
      for: 'v1',
      scope: 'WorkerModel',
      answer: call => {
        const found = model(parts, call)
        const body = bodyOf(call.request)
        // Go reads the keys whatever their case.
        const error = textAt(body, 'Error') || textAt(body, 'error')
        if (error === '') return nothing
        models.failed(found, error)
        return json(null)
      },
    },
  ]
}

/** Where workers send their logs, the same for V1 and V2. */
export function cdn(parts: Parts) {
  if (parts.cdn.current === undefined) throw new CdsRefusal('notFound')
  return json(parts.cdn.current)
}

function model(parts: Parts, call: Call): ModelV1 {
  const group = call.path['group'] ?? ''
  mayUseGroup(parts, call, group)
  return parts.models.v1(group, call.path['model'] ?? '')
}
