import type { Kind, Resource } from '../../kinds/index.ts'
import { type Store, StoreError, type WatchEvent, type WatchOptions } from '../../store/index.ts'

/** One open stream of a flaky store. */
interface Stream {
  readonly fail: (error: Error | undefined) => void
}

/**
 * A store whose streams can be broken, and whose requests can be made to fail: before they reach the store, or after they were
 * done, so that only the answer is lost.
 */
export class FlakyStore implements Store {
  readonly get: Store['get']
  readonly list: Store['list']
  readonly create: Store['create']
  readonly update: Store['update']
  readonly delete: Store['delete']
  #store: Store
  readonly #streams = new Set<Stream>()
  /** The options of every watch that was opened. */
  readonly watches: WatchOptions[] = []
  /** Watches that resume are refused as too old while this is set. */
  refuseToResume = false
  /** Watches fail at once while this is set. */
  unreachable: Error | undefined
  /** Asked before each request; an error thrown here keeps it from reaching the store. */
  before: (operation: string, kind: Kind) => void | Promise<void> = () => {}
  /** Asked after each request; an error thrown here means that the answer was lost. */
  after: (operation: string, kind: Kind) => void | Promise<void> = () => {}
  /** Changes what streams deliver: returning undefined loses an event. */
  filter: (event: WatchEvent<Resource>) => WatchEvent<Resource> | undefined = event => event

  /** Asked before each batch is delivered: streams may be slow. */
  lag: (kind: Kind) => void | Promise<void> = () => {}
  /** Streams that resume repeat everything from this revision on. */
  repeatFrom: string | undefined

  constructor(store: Store) {
    this.#store = store
    const guard =
      <A extends readonly unknown[], T>(operation: string, request: (kind: Kind, ...rest: A) => Promise<T>) =>
      async (kind: Kind, ...rest: A): Promise<T> => {
        await this.before(operation, kind)
        const answer = await request(kind, ...rest)
        await this.after(operation, kind)
        return answer
      }
    this.get = guard('get', (kind, key: never) => this.#store.get(kind, key)) as Store['get']
    this.list = guard('list', (kind, options: never) => this.#store.list(kind, options)) as Store['list']
    this.create = guard('create', (kind, draft: never, options: never) => this.#store.create(kind, draft, options)) as Store['create']
    this.update = guard('update', (kind, object: never, options: never) => this.#store.update(kind, object, options)) as Store['update']
    this.delete = guard('delete', (kind, key: never, options: never) => this.#store.delete(kind, key, options)) as Store['delete']
  }

  /** How many streams are open. */
  get open(): number {
    return this.#streams.size
  }

  /** Puts another store in place of the one behind, as a restored backup does, and breaks all streams. */
  replace(store: Store): void {
    this.#store = store
    this.break()
  }

  /** Ends all streams without an error, as a server that closes connections does. */
  cut(): void {
    for (const stream of this.#streams) stream.fail(undefined)
  }

  /** Breaks all streams with an error. */
  break(error: Error = new StoreError('ServiceUnavailable', 'the server is away')): void {
    for (const stream of this.#streams) stream.fail(error)
  }

  /** Tells all streams that their revision is too old. */
  expire(): void {
    this.break(new StoreError('Expired', 'too old resource version'))
  }

  async *watch<R extends Resource>(kind: Kind<R>, options: WatchOptions): AsyncIterable<readonly WatchEvent<R>[]> {
    this.watches.push(options)
    if (this.unreachable !== undefined) throw this.unreachable
    if (this.refuseToResume && options.initialEvents !== true) throw new StoreError('Expired', 'too old resource version')
    const inner = new AbortController()
    options.signal.addEventListener('abort', () => inner.abort(), { once: true })
    if (options.signal.aborted) inner.abort()
    let end: (outcome: { readonly error: Error | undefined }) => void = () => {}
    const ended = new Promise<{ readonly error: Error | undefined }>(resolve => (end = resolve))
    const stream: Stream = { fail: error => end({ error }) }
    this.#streams.add(stream)
    const repeated = this.repeatFrom === undefined || options.initialEvents === true ? {} : { resourceVersion: this.repeatFrom }
    const iterator = this.#store.watch(kind, { ...options, ...repeated, signal: inner.signal })[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await Promise.race([iterator.next(), ended])
        if ('error' in next) {
          if (next.error !== undefined) throw next.error
          return
        }
        if (next.done === true) return
        const batch = next.value.flatMap(event => (this.filter(event as WatchEvent<Resource>) as WatchEvent<R> | undefined) ?? [])
        await this.lag(kind)
        if (batch.length > 0) yield batch
      }
    } finally {
      this.#streams.delete(stream)
      inner.abort()
    }
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
