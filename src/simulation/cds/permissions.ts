import { sharedInfra } from './basics.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { Parts } from './parts.ts'
import type { BuiltinConsumer, Hatchery, JobV1, JobV2, Service, WorkerConsumerV1, WorkerConsumerV2 } from './records.ts'
import type { Call } from './route.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The V1 hatchery that calls, or a refusal. */
export function hatcheryV1({ caller }: Call): BuiltinConsumer & { readonly service: Service } {
  const consumer = caller?.consumer
  if (consumer?.kind !== 'builtin') throw new CdsRefusal('forbidden')
  const { service } = consumer
  if (service === undefined) throw new CdsRefusal(consumer.bound.type === undefined ? 'forbidden' : 'notAuthenticated')
  if (service.type !== 'hatchery') throw new CdsRefusal('forbidden')
  return Object.assign(consumer, { service })
}

/** The V1 worker that calls, or a refusal. */
export function workerV1({ caller }: Call): WorkerConsumerV1 {
  if (caller?.consumer.kind !== 'worker v1') throw new CdsRefusal('forbidden')
  return caller.consumer
}

/** The V2 worker that calls, about its own job, or a refusal. */
export function workerV2({ caller, path }: Call): WorkerConsumerV2 {
  if (caller?.consumer.kind !== 'worker v2' || caller.consumer.worker.job !== path['job']) throw new CdsRefusal('forbidden')
  return caller.consumer
}

/** The V2 hatchery that calls, wherever it was granted, or a refusal. */
export function hatcheryV2({ caller }: Call): Hatchery {
  if (caller?.consumer.kind !== 'hatchery') throw new CdsRefusal('forbidden')
  return caller.consumer.hatchery
}

/** The V2 hatchery that calls about the region that it was granted, or a refusal. */
export function hatcheryOfRegion(parts: Parts, call: Call): Hatchery {
  const hatchery = hatcheryV2(call)
  mayUseRegion(parts, hatchery, call.path['region'] ?? '')
  return hatchery
}

/** Throws unless the hatchery was granted this region. A region that does not exist is not found rather than forbidden. */
export function mayUseRegion(parts: Parts, hatchery: Hatchery, region: string): void {
  if (!parts.regions.has(region)) throw new CdsRefusal('notFound', `region ${region} not found`)
  if (hatchery.region !== region) throw new CdsRefusal('forbidden')
}

/** The hatchery or the worker that may write about a V2 job, or a refusal. */
export function mayUpdateJobV2(parts: Parts, call: Call): Hatchery {
  if (call.caller?.consumer.kind === 'worker v2') return workerV2(call).parent.hatchery
  return hatcheryOfRegion(parts, call)
}

/** The V2 job that a call is about. */
export function jobV2(parts: Parts, { path }: Call): JobV2 {
  const id = path['job'] ?? ''
  // The database cannot even be asked.
  if (!uuid.test(id)) throw new CdsRefusal('unknown')
  const job = parts.queueV2.find(id)
  if (job === undefined) throw new CdsRefusal('notFound')
  return job
}

/** The V2 job that a call is about, which must be of the region that the call names. */
export function jobOfRegion(parts: Parts, call: Call): JobV2 {
  const job = jobV2(parts, call)
  const region = call.path['region']
  if (job.region !== region) throw new CdsRefusal('invalidData', `unknown job ${job.id} on region ${region}`)
  return job
}

/** The V1 job that a call is about. One that is over or never was is forbidden, not missing: permission is checked first. */
export function jobV1(parts: Parts, { path, caller }: Call): JobV1 {
  const id = path['job'] ?? ''
  const job = /^-?\d+$/.test(id) ? parts.queueV1.find(Number(id)) : undefined
  const consumer = caller?.consumer
  if (job === undefined || consumer === undefined) throw new CdsRefusal('forbidden')
  if (consumer.kind === 'worker v1' && consumer.worker.job === job.id) return job
  if (consumer.kind === 'builtin' && consumer.groups.some(group => job.groups.includes(group))) return job
  throw new CdsRefusal('forbidden')
}

/** Throws unless the caller may touch what belongs to this group. */
export function mayUseGroup(parts: Parts, { caller }: Call, name: string): void {
  const group = parts.groups.find(name)
  if (group === undefined) throw new CdsRefusal('notFound', `group ${name} not found`)
  if (caller?.consumer.kind !== 'builtin') throw new CdsRefusal('forbidden')
  const { groups } = caller.consumer
  if (!groups.includes(group) && !groups.some(each => each.name === sharedInfra)) throw new CdsRefusal('forbidden')
}
