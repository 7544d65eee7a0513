import type { Clock } from '../ports/index.ts'
import { compareRevisions, StoreError } from '../store/index.ts'
import type { Answer } from './call.ts'
import { keyOf, type ObjectExchange, type ResourceExchange } from './exchange.ts'
import { readListQuery, refuseBadRevision } from './list-options.ts'
import { listAnswer, objectAnswer, viewOf } from './view.ts'

/** Answers with one object. */
export async function getObject(exchange: ObjectExchange, clock: Clock): Promise<Answer> {
  const { call, query, store, served } = exchange
  const view = viewOf(call, query)
  const revision = query.get('resourceVersion') ?? ''
  refuseBadRevision(revision)
  const object = await store.get(served.kind, keyOf(exchange))
  if (revision !== '' && revision !== '0' && compareRevisions(revision, object.metadata.resourceVersion!) > 0) {
    await refuseFuture(exchange, revision)
  }
  return objectAnswer(view, served.kind, object, clock)
}

/** An object older than the revision asked for is fine, as long as that revision has been. */
async function refuseFuture({ store, served }: ResourceExchange, revision: string): Promise<void> {
  const { resourceVersion } = await store.list(served.kind, { limit: 1 })
  if (compareRevisions(revision, resourceVersion) <= 0) return
  const message = `Timeout: Too large resource version: ${revision}, current: ${resourceVersion}`
  throw new StoreError('Timeout', message, { retryAfterSeconds: 1 })
}

/** Answers with the objects of a kind: all, or a page of them. */
export async function listObjects(exchange: ResourceExchange, clock: Clock): Promise<Answer> {
  const { call, query, store, served, signal } = exchange
  const options = readListQuery(query, served.kind)
  const view = viewOf(call, query)
  const page = await store.list(served.kind, { ...options, ...placeOf(exchange), signal })
  return listAnswer(view, served.kind, page, clock)
}

/** The namespace to look into, if the kind has such and the path names one. */
export function placeOf({ served, resource }: ResourceExchange): { readonly namespace?: string } {
  const { namespace } = resource
  return served.kind.scope === 'Namespaced' && namespace !== undefined ? { namespace } : {}
}
