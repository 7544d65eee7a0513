import type { Clock } from '../ports/index.ts'
import { type DeleteOptions, Stored, undefinedIf } from '../store/index.ts'
import type { Resource } from '../kinds/index.ts'
import { readBody } from './body.ts'
import { type Answer, header, jsonAnswer } from './call.ts'
import { readDeleteOptions } from './delete-options.ts'
import { keyOf, type ObjectExchange, type ResourceExchange } from './exchange.ts'
import { readListQuery } from './list-options.ts'
import { placeOf } from './read.ts'
import { successStatus } from './status.ts'
import { listAnswer, objectAnswer, viewOf } from './view.ts'

/** Deletes an object: answers with a Status if it is gone, with the object if finalizers hold it. */
export async function deleteObject(exchange: ObjectExchange, clock: Clock): Promise<Answer> {
  const { call, query, store, served, signal } = exchange
  const { acceptedIfHeld, ...options } = await optionsOf(exchange)
  const view = viewOf(call, query)
  const { object, gone } = await store.delete(served.kind, keyOf(exchange), { ...options, signal })
  if (!gone) return objectAnswer(view, served.kind, object, clock, acceptedIfHeld ? 202 : 200)
  const { name, uid } = object.metadata
  const { group, plural } = served.kind
  return jsonAnswer(200, successStatus({ name, ...(group === '' ? {} : { group }), kind: plural, ...(uid === undefined ? {} : { uid }) }))
}

/** Deletions of a collection that are under way at once: enough to fill a commit, few enough to leave others room. */
const atOnce = 64

/** Deletes what a list of the same parameters would show, and answers with that list. */
export async function deleteCollection(exchange: ResourceExchange, clock: Clock): Promise<Answer> {
  const { call, query, store, served, signal } = exchange
  const { acceptedIfHeld: _, ...options } = await optionsOf(exchange)
  const view = viewOf(call, query)
  const page = await store.list(served.kind, { ...readListQuery(query, served.kind), ...placeOf(exchange), signal })
  const items = page.items.map(item => item.object)
  const deleted: (Resource | undefined)[] = []
  for (let start = 0; start < items.length; start += atOnce) {
    signal.throwIfAborted()
    deleted.push(...(await Promise.all(items.slice(start, start + atOnce).map(item => deleteOne(exchange, item, options)))))
  }
  const left = deleted.filter(object => object !== undefined).map(object => Stored.fromObject(object))
  return listAnswer(view, served.kind, { ...page, items: left }, clock)
}

/** Undefined if it was gone before we came, which is what was wanted. */
async function deleteOne(exchange: ResourceExchange, item: Resource, options: DeleteOptions): Promise<Resource | undefined> {
  const { namespace, name } = item.metadata
  const key = namespace === undefined ? { name } : { namespace, name }
  const { kind } = exchange.served
  const deletion = await exchange.store.delete(kind, key, { ...options, signal: exchange.signal }).catch(undefinedIf('NotFound'))
  return deletion?.object
}

async function optionsOf(exchange: ResourceExchange): Promise<ReturnType<typeof readDeleteOptions>> {
  const bytes = await exchange.body()
  const body = bytes.length === 0 ? undefined : await readBody(bytes, header(exchange.call, 'content-type'), 'DeleteOptions')
  const options = readDeleteOptions(exchange.query, body?.object)
  if (options.dryRun === true) exchange.noteDryRun()
  return options
}
