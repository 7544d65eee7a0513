import type { Kind, Resource } from '../../kinds/index.ts'
import { DeadlineExceeded, Unreachable } from '../../ports/index.ts'
import type { Chance, Clock, Log } from '../../ports/index.ts'
import { StoreError } from '../errors.ts'
import type { WatchEvent, WatchOptions } from '../store.ts'
import type { ApiConnection } from './api-connection.ts'
import { JsonLines } from './json-lines.ts'
import { listPage, listPages } from './list-pages.ts'
import { checkRevision, collectionPath, selectionQuery } from './resource-path.ts'
import type { Query } from './resource-path.ts'
import { Silence } from './silence.ts'
import { watchEvent } from './watch-events.ts'

export interface WatcherOptions {
  readonly connection: ApiConnection
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly pageSize: number
  /** Milliseconds without a byte after which a watch counts as cut. Servers send a bookmark about once a minute. */
  readonly watchIdle: number
}

type Batch<R extends Resource> = readonly WatchEvent<R>[]

/** Milliseconds of silence in the middle of the initial events after which the server is taken not to know how they end. */
const initialSilence = 30_000

/** Opens watches at one API server and knows how this server wants to be asked for the initial events. */
export class Watcher {
  readonly #options: WatcherOptions
  /** Kinds whose initial events have to come from a list, because the server does not stream them. */
  readonly #listedKinds = new Set<Kind>()

  constructor(options: WatcherOptions) {
    this.#options = options
  }

  /** The batches of one watch; see `Store.watch`. Ends quietly when the signal is aborted. */
  async *watch<R extends Resource>(kind: Kind<R>, options: WatchOptions): AsyncGenerator<Batch<R>, void> {
    try {
      checkRevision(options.resourceVersion)
      if (options.initialEvents === true) yield* this.#fromTheBeginning(kind, options)
      else yield* this.#changes(kind, options, options.resourceVersion || (await this.#now(kind, options)))
    } catch (error) {
      if (!options.signal.aborted) throw error
    }
  }

  async *#fromTheBeginning<R extends Resource>(kind: Kind<R>, options: WatchOptions): AsyncGenerator<Batch<R>, void> {
    let refusal: unknown
    if (!this.#listedKinds.has(kind)) {
      try {
        yield* this.#streamed(kind, options)
        return
      } catch (error) {
        if (!StoreError.is(error, 'Invalid', 'BadRequest')) throw error
        refusal = error
      }
    }
    const { connection, pageSize, log } = this.#options
    let resourceVersion = ''
    for await (const page of listPages(connection, kind, options, pageSize)) {
      yield page.items.map(item => ({ type: 'ADDED', item }))
      resourceVersion = page.resourceVersion
    }
    // Only now it is known that the refusal was about the way of asking and not about, say, a wrong selector.
    if (refusal !== undefined) {
      this.#listedKinds.add(kind)
      log.info('the API server does not stream lists; listing page by page', { kind: kind.plural, refusal })
    }
    yield [{ type: 'BOOKMARK', resourceVersion, initialEventsEnd: true }]
    yield* this.#changes(kind, options, resourceVersion)
  }

  #changes<R extends Resource>(kind: Kind<R>, options: WatchOptions, resourceVersion: string): AsyncGenerator<Batch<R>, void> {
    return this.#stream(kind, options, { resourceVersion }, options.signal)
  }

  /** The initial events and then the changes, in one stream ("WatchList"). */
  async *#streamed<R extends Resource>(kind: Kind<R>, options: WatchOptions): AsyncGenerator<Batch<R>, void> {
    const { resourceVersion, signal } = options
    const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion }
    using silence = new Silence(initialSilence, this.#options.clock)
    let complete = false
    try {
      for await (const batch of this.#stream(kind, options, query, AbortSignal.any([signal, silence.signal]))) {
        complete ||= batch.some(event => event.type === 'BOOKMARK' && event.initialEventsEnd)
        if (complete) silence[Symbol.dispose]()
        else silence.heard()
        yield batch
      }
    } catch (error) {
      if (!silence.signal.aborted) throw error
      // Servers that do not know the parameter ignore it: they send all objects and then no end.
      this.#listedKinds.add(kind)
      throw new StoreError('Timeout', `the list of ${kind.plural} was streamed without an end; next time it is listed page by page`, {
        kind: kind.plural,
        cause: error,
      })
    }
    // To end here without an error would make half a list look like a whole one.
    if (!complete && !signal.aborted)
      throw new StoreError('ServiceUnavailable', `the list of ${kind.plural} broke off`, { kind: kind.plural })
  }

  /** One watch request: its events in the batches in which they arrive, until the connection ends. */
  async *#stream<R extends Resource>(
    kind: Kind<R>,
    options: WatchOptions,
    query: Query,
    signal: AbortSignal,
  ): AsyncGenerator<Batch<R>, void> {
    const { connection, chance, watchIdle } = this.#options
    const request = {
      method: 'GET',
      kind,
      path: collectionPath(kind, options.namespace),
      // Ends after 5 to 10 minutes, because not all watches of all clients may end at one moment.
      query: { ...selectionQuery(options), ...query, watch: true, allowWatchBookmarks: true, timeoutSeconds: chance.integer(300, 600) },
      signal,
    } as const
    const { chunks } = await connection.stream(request, { idleTimeout: watchIdle })
    const lines = new JsonLines()
    for await (const piece of this.#untilCut(kind, chunks, signal)) {
      const { batch, error } = read(kind, lines.take(piece), options.bookmarks === true)
      if (batch.length > 0) yield batch
      if (error !== undefined) throw error
    }
  }

  /** A connection that breaks off ends the watch as one that is closed does: the caller goes on from what it saw last. */
  async *#untilCut(kind: Kind, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    try {
      yield* chunks
    } catch (error) {
      if (signal.aborted || !(Unreachable.is(error) || DeadlineExceeded.is(error))) throw error
      this.#options.log.debug('a watch was cut', { kind: kind.plural, error })
    }
  }

  /** The revision of this moment. A watch that names none would begin with all objects there are. */
  async #now(kind: Kind, { namespace, signal }: WatchOptions): Promise<string> {
    const page = await listPage(this.#options.connection, kind, { limit: 1, signal, ...(namespace === undefined ? {} : { namespace }) })
    return page.resourceVersion
  }
}

/** The events of some lines, up to the first that stands for an error. */
function read<R extends Resource>(
  kind: Kind<R>,
  lines: readonly string[],
  bookmarks: boolean,
): { batch: WatchEvent<R>[]; error?: unknown } {
  const batch: WatchEvent<R>[] = []
  try {
    for (const line of lines) {
      const event = watchEvent(kind, line)
      if (event.type !== 'BOOKMARK' || bookmarks || event.initialEventsEnd) batch.push(event)
    }
    return { batch }
  } catch (error) {
    return { batch, error }
  }
}
