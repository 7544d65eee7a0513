import type { Clock } from '../ports/index.ts'
import type { Answer } from './call.ts'
import type { ResourceExchange } from './exchange.ts'
import { checkComplaints, readIncoming, warnOfFinalizers, writeOptions } from './incoming.ts'
import { objectAnswer, viewOf } from './view.ts'
import { readWriteQuery } from './write-options.ts'

/** Makes an object. */
export async function createObject(exchange: ResourceExchange, clock: Clock): Promise<Answer> {
  const { call, query, store, served } = exchange
  const options = readWriteQuery(exchange, 'CreateOptions')
  const view = viewOf(call, query)
  const body = await readIncoming(exchange)
  checkComplaints(exchange, body, options)
  const created = await store.create(served.kind, body.object, writeOptions(exchange, options))
  warnOfFinalizers(exchange, created)
  return { ...(await objectAnswer(view, served.kind, created, clock, 201)), made: created.metadata.name }
}
