import type { Clock } from '../ports/index.ts'
import type { Draft, Kind, Resource } from '../kinds/index.ts'
import { qualified, StoreError, type UpdateOptions } from '../store/index.ts'
import type { Answer } from './call.ts'
import { keyOf, type ObjectExchange } from './exchange.ts'
import { checkComplaints, readIncoming, refuseOtherNames, writeOptions } from './incoming.ts'
import { objectAnswer, viewOf } from './view.ts'
import { readWriteQuery } from './write-options.ts'

/** Replaces an object, or its part that a subresource is. */
export async function updateObject(exchange: ObjectExchange, clock: Clock): Promise<Answer> {
  const { call, query, served, resource } = exchange
  const options = readWriteQuery(exchange, 'UpdateOptions')
  const view = viewOf(call, query)
  const body = await readIncoming(exchange)
  refuseOtherNames(body.object, resource.name)
  const object = { ...body.object, metadata: { ...body.object.metadata, name: resource.name } }
  checkComplaints(exchange, body, options)
  const updated = await replace(exchange, object, { ...writeOptions(exchange, options), ...subresourceOf(exchange) })
  return objectAnswer(view, served.kind, updated, clock)
}

/** Which part of the object the path names. */
export function subresourceOf({ resource }: ObjectExchange): Pick<UpdateOptions, 'subresource'> {
  const { subresource } = resource
  return subresource === 'status' || subresource === 'finalize' ? { subresource } : {}
}

/** Kinds of Kubernetes that may be replaced without saying which revision is meant: the last one then. */
const unconditional = new Set(['Namespace', 'Secret', 'ConfigMap', 'Event', 'Node'])

async function replace(exchange: ObjectExchange, object: Draft<Resource>, options: UpdateOptions): Promise<Resource> {
  const { store, served } = exchange
  // Zero is no revision.
  if (!['', '0'].includes(object.metadata.resourceVersion ?? '')) return store.update(served.kind, object, options)
  for (;;) {
    const { resourceVersion } = (await store.get(served.kind, keyOf(exchange))).metadata
    refuseUnconditional(served.kind, exchange.resource.name)
    try {
      return await store.update(served.kind, { ...object, metadata: { ...object.metadata, resourceVersion: resourceVersion! } }, options)
    } catch (error) {
      // Somebody was faster. The caller did not ask to be told, so we only stop when nobody waits any more.
      if (!StoreError.is(error, 'Conflict') || exchange.signal.aborted || wantsUid(object)) throw error
    }
  }
}

function wantsUid(object: Draft<Resource>): boolean {
  return (object.metadata.uid ?? '') !== ''
}

function refuseUnconditional(kind: Kind, name: string): void {
  if (kind.builtIn && unconditional.has(kind.name)) return
  const problem = {
    path: 'metadata.resourceVersion',
    reason: 'FieldValueInvalid',
    message: 'Invalid value: 0: must be specified for an update',
  } as const
  throw new StoreError('Invalid', `${qualified(kind)} ${JSON.stringify(name)} is invalid: ${problem.path}: ${problem.message}`, {
    group: kind.group,
    kind: kind.plural,
    name,
    problems: [problem],
  })
}
