import type { Draft, Kind, ObjectMeta, Resource } from '../../kinds/index.ts'
import type { Chance, Clock, HttpClient, HttpResponse, Log } from '../../ports/index.ts'
import { closed, conflict, StoreError } from '../errors.ts'
import type {
  DeleteOptions,
  Deletion,
  Key,
  ListOptions,
  Page,
  Store,
  UpdateOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../store.ts'
import { answerJson } from './answer-json.ts'
import { ApiConnection } from './api-connection.ts'
import type { Credentials } from './api-connection.ts'
import { deletionOf, deletionBody } from './deletion.ts'
import { listAll, listPage } from './list-pages.ts'
import { checkCreate, checkUpdate, generatedName, outgoing } from './outgoing.ts'
import { Pace } from './pace.ts'
import { received } from './received.ts'
import { collectionPath, objectPath } from './resource-path.ts'
import { warningTexts } from './warnings.ts'
import { Watcher } from './watch.ts'

/** Dials of the Kubernetes engine. */
export interface KubernetesLimits {
  /** Requests a second in the long run; 0 switches the limit off. Default 200. */
  readonly qps?: number
  /** Requests at once after a quiet time. Default 400. */
  readonly burst?: number
  /** Requests under way at one time, watches not counted. Default 48. */
  readonly concurrent?: number
  /** Objects that are asked for in one request where the caller does not say. Default 500. */
  readonly pageSize?: number
  /** Milliseconds without a byte after which a watch counts as cut. Default 100,000: servers send a bookmark every minute. */
  readonly watchIdle?: number
}

export interface KubernetesStoreOptions {
  /** With the trust that belongs to `server`, and connections for `limits.concurrent`, a few Lease requests and one watch a kind. */
  readonly http: HttpClient
  /** `https://host:port` */
  readonly server: string
  readonly credentials: Credentials
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly limits?: KubernetesLimits
  /** What the server's audit log and field managers call this program. Default `aviary`. */
  readonly userAgent?: string
}

/** Leader election renews every few seconds with one or two requests; more than this is a mistake. */
const leaseLimits = { perSecond: 20, burst: 40, concurrent: 8 }
const nameTries = 8
const deleteTries = 5

/** A store in a Kubernetes API server: a real one, or Aviary's own. The HTTP client stays the caller's to close. */
export function kubernetesStore(options: KubernetesStoreOptions): Store {
  return new KubernetesStore(options)
}

class KubernetesStore implements Store {
  readonly #connection: ApiConnection
  readonly #watcher: Watcher
  readonly #chance: Chance
  readonly #pageSize: number
  readonly #closing = new AbortController()
  readonly #writes = new Set<Promise<unknown>>()

  constructor({ http, server, credentials, clock, chance, log, limits = {}, userAgent = 'aviary' }: KubernetesStoreOptions) {
    const { qps = 200, burst = 400, concurrent = 48, pageSize = 500, watchIdle = 100_000 } = limits
    const pace = new Pace({ perSecond: qps, burst, concurrent }, clock)
    const leasePace = new Pace(leaseLimits, clock)
    this.#connection = new ApiConnection({ http, server, credentials, clock, chance, log, userAgent, pace, leasePace })
    this.#watcher = new Watcher({ connection: this.#connection, clock, chance, log, pageSize, watchIdle })
    this.#chance = chance
    this.#pageSize = pageSize
  }

  async get<R extends Resource>(kind: Kind<R>, key: Key): Promise<R> {
    this.#assertOpen()
    return this.#read(kind, key)
  }

  async #read<R extends Resource>(kind: Kind<R>, key: Key, signal?: AbortSignal): Promise<R> {
    return objectOf(kind, await this.#connection.send({ method: 'GET', kind, name: key.name, path: objectPath(kind, key), signal }))
  }

  async list<R extends Resource>(kind: Kind<R>, options: ListOptions = {}): Promise<Page<R>> {
    this.#assertOpen()
    const paged = options.limit !== undefined || options.continue !== undefined
    return paged ? listPage(this.#connection, kind, options) : listAll(this.#connection, kind, options, this.#pageSize)
  }

  create<R extends Resource>(kind: Kind<R>, draft: Draft<R>, options: WriteOptions = {}): Promise<R> {
    return this.#write(async () => {
      checkCreate(kind, draft)
      const { name, generateName } = draft.metadata
      if (name || !generateName) return this.#post(kind, draft, name ?? '', options)
      for (let tried = 1; ; tried++) {
        try {
          return await this.#post(kind, draft, generatedName(generateName, this.#chance), options)
        } catch (error) {
          if (!StoreError.is(error, 'AlreadyExists') || tried === nameTries) throw error
        }
      }
    })
  }

  async #post<R extends Resource>(kind: Kind<R>, draft: Draft<R>, name: string, options: WriteOptions): Promise<R> {
    const answer = await this.#connection.send({
      method: 'POST',
      kind,
      name,
      path: collectionPath(kind, draft.metadata.namespace),
      query: writeQuery(options),
      body: outgoing(kind, draft, name),
      signal: options.signal,
    })
    return written(kind, answer, options)
  }

  update<R extends Resource>(kind: Kind<R>, object: Draft<R>, options: UpdateOptions = {}): Promise<R> {
    return this.#write(async () => {
      const name = checkUpdate(kind, object, options.subresource)
      const answer = await this.#connection.send({
        method: 'PUT',
        kind,
        name,
        path: objectPath(kind, { ...object.metadata, name }, options.subresource),
        query: writeQuery(options),
        body: outgoing(kind, object, name),
        signal: options.signal,
      })
      return written(kind, answer, options)
    })
  }

  delete<R extends Resource>(kind: Kind<R>, key: Key, options: DeleteOptions = {}): Promise<Deletion<R>> {
    return this.#write(async () => {
      // Most answers to a deletion do not hold the object. So it is read first, and deleted only as it was read.
      for (let tried = 1; ; tried++) {
        const object = await this.#read(kind, key, options.signal)
        assertSame(kind, object, options)
        try {
          return await this.#deleteAsRead(kind, key, object, options, tried < deleteTries)
        } catch (error) {
          const changedSince = StoreError.is(error, 'Conflict') && options.resourceVersion === undefined
          if (!changedSince || tried === deleteTries) throw error
        }
      }
    })
  }

  async #deleteAsRead<R extends Resource>(
    kind: Kind<R>,
    key: Key,
    object: R,
    options: DeleteOptions,
    exactly: boolean,
  ): Promise<Deletion<R>> {
    const answer = await this.#connection.send({
      method: 'DELETE',
      kind,
      name: key.name,
      path: objectPath(kind, key),
      body: deletionBody(object, options, exactly),
      signal: options.signal,
    })
    return deletionOf(kind, object, answerJson(kind, answer))
  }

  async *watch<R extends Resource>(kind: Kind<R>, options: WatchOptions): AsyncGenerator<readonly WatchEvent<R>[], void> {
    this.#assertOpen()
    yield* this.#watcher.watch(kind, { ...options, signal: AbortSignal.any([options.signal, this.#closing.signal]) })
  }

  async close(): Promise<void> {
    this.#closing.abort(closed())
    await Promise.allSettled(this.#writes)
  }

  async #write<T>(work: () => Promise<T>): Promise<T> {
    this.#assertOpen()
    const write = work()
    this.#writes.add(write)
    try {
      return await write
    } finally {
      this.#writes.delete(write)
    }
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw closed()
  }
}

function writeQuery({ dryRun = false, fieldValidation = 'Strict' }: WriteOptions) {
  return { fieldValidation, dryRun: dryRun ? 'All' : undefined }
}

function written<R extends Resource>(kind: Kind<R>, answer: HttpResponse, { onWarning }: WriteOptions): R {
  if (onWarning !== undefined) warningTexts(answer.headers['warning']).forEach(onWarning)
  return objectOf(kind, answer)
}

function objectOf<R extends Resource>(kind: Kind<R>, answer: HttpResponse): R {
  return received(kind, answerJson(kind, answer) as { metadata: ObjectMeta })
}

/** What the server would say too, but one request earlier and before the object is taken for the wanted one. */
function assertSame(kind: Kind, { metadata }: Resource, { uid, resourceVersion }: DeleteOptions): void {
  if (uid !== undefined && metadata.uid !== uid) {
    throw conflict(
      kind,
      metadata.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
  }
  if (resourceVersion !== undefined && metadata.resourceVersion !== resourceVersion) {
    throw conflict(
      kind,
      metadata.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    )
  }
}
