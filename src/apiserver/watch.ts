import type { Chance, Clock } from '../ports/index.ts'
import type { Kind, Resource } from '../kinds/index.ts'
import type { Store, WatchEvent, WatchOptions } from '../store/index.ts'
import type { Answer } from './call.ts'
import type { ResourceExchange } from './exchange.ts'
import { readWatchQuery, type WatchQuery } from './list-options.ts'
import { placeOf } from './read.ts'
import type { Status } from './status.ts'
import { viewOf } from './view.ts'
import type { EventWriter, EventWriters } from './watch-events.ts'

/** What a watch needs besides the request. */
export interface WatchRoom {
  readonly clock: Clock
  readonly chance: Chance
  readonly writers: EventWriters
  /** Aborted when the server stops: watches then end as if their time were up. */
  readonly closing: AbortSignal
  /** Told when a watch begins (1) and ends (-1). */
  count(kind: Kind, by: 1 | -1): void
  /** The Status of a watch that failed. */
  failure(error: unknown): Status
}

/** Watches without a limit of their own end after 30 to 60 minutes, so that clients spread over servers again. */
const leastMinutes = 30

/** Answers with changes as they happen, until the client goes, its time is up, or the server stops. */
export async function watchObjects(exchange: ResourceExchange, room: WatchRoom): Promise<Answer> {
  const { call, query, served, store } = exchange
  const options = readWatchQuery(query, served.kind)
  const view = viewOf(call, query, 'watch')
  const { timeoutSeconds, announcesInitialEnd: _, ...asked } = options
  const milliseconds = timeoutSeconds === undefined ? leastMinutes * 60_000 * (1 + room.chance.fraction()) : timeoutSeconds * 1000
  const watch = { options: { ...asked, ...placeOf(exchange) }, announces: options.announcesInitialEnd, milliseconds, gone: call.signal }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    live: true,
    body: events(store, served.kind, watch, room.writers.writer(served.kind, view), room),
  }
}

interface Watch {
  readonly options: Omit<WatchOptions, 'signal'>
  readonly announces: WatchQuery['announcesInitialEnd']
  readonly milliseconds: number
  readonly gone: AbortSignal
}

async function* events(store: Store, kind: Kind, watch: Watch, writer: EventWriter, room: WatchRoom): AsyncGenerator<Uint8Array> {
  const stop = new AbortController()
  const end = () => stop.abort(over)
  // Not AbortSignal.any: the server's signal outlives every watch, and would remember each of them.
  for (const signal of [watch.gone, room.closing]) {
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  }
  using limit = room.clock.deadline(Math.min(watch.milliseconds, 2 ** 31 - 1), stop.signal)
  const { signal } = limit
  room.count(kind, 1)
  try {
    for await (const batch of store.watch(kind, { ...watch.options, signal })) {
      const bytes = written(batch, watch, writer)
      if (bytes.length > 0) yield bytes
    }
  } catch (error) {
    if (!signal.aborted) yield writer.error(room.failure(error))
  } finally {
    room.count(kind, -1)
    watch.gone.removeEventListener('abort', end)
    room.closing.removeEventListener('abort', end)
  }
}

/** Made once: it is nobody's business, and an error is expensive to make. */
const over = new Error('the watch is over')

function written(batch: readonly WatchEvent<Resource>[], watch: Watch, writer: EventWriter): Uint8Array {
  const wanted = watch.announces ? batch : batch.filter(event => event.type !== 'BOOKMARK' || !event.initialEventsEnd)
  return wanted.length === 1 ? writer.event(wanted[0]!) : Buffer.concat(wanted.map(event => writer.event(event)))
}
