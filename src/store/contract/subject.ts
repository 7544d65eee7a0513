import type { Draft, Nest } from '../../kinds/index.ts'
import type { Resource } from '../../kinds/index.ts'
import { StoreError } from '../errors.ts'
import type { Store, WatchEvent } from '../store.ts'

/** A store to be examined, and a place in it. */
export interface Subject {
  readonly store: Store
  /** Makes a namespace that nobody else uses, and resolves to its name. */
  namespace(): Promise<string>
  /** Called when all is done. */
  cleanup(): Promise<void>
}

/** The subject of the scenario that runs. */
export type TheSubject = () => Subject

/** A Nest to be created. */
export function draft(
  namespace: string,
  name: string,
  spec: Partial<Nest['spec']> = {},
  metadata: Partial<Draft<Nest>['metadata']> = {},
): Draft<Nest> {
  return { metadata: { namespace, name, ...metadata }, spec: spec as Nest['spec'] }
}

/** The StoreError with which a call is refused. Fails if it is not. */
export async function refusal(call: Promise<unknown>): Promise<StoreError> {
  let result: unknown
  try {
    result = await call
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
  throw new Error(`expected a refusal, but got ${JSON.stringify(result).slice(0, 500)}`)
}

/** The reason with which a call is refused. */
export async function reason(call: Promise<unknown>): Promise<string> {
  return (await refusal(call)).reason
}

/** Reads a watch event by event. */
export class EventReader<R extends Resource> {
  readonly #batches: AsyncIterator<readonly WatchEvent<R>[]>
  #events: WatchEvent<R>[] = []

  constructor(watch: AsyncIterable<readonly WatchEvent<R>[]>) {
    this.#batches = watch[Symbol.asyncIterator]()
  }

  /** The next event; undefined if the watch has ended. */
  async next(): Promise<WatchEvent<R> | undefined> {
    while (this.#events.length === 0) {
      const result = await this.#batches.next()
      if (result.done === true) return undefined
      this.#events = [...result.value]
    }
    return this.#events.shift()
  }

  /** The next event about an object, bookmarks aside. Fails if the watch has ended. */
  async object(): Promise<Extract<WatchEvent<R>, { readonly item: unknown }>> {
    for (;;) {
      const event = await this.next()
      if (event === undefined) throw new Error('the watch has ended')
      if (event.type !== 'BOOKMARK') return event
    }
  }

  /** The next `count` events about objects, as `ADDED a`. */
  async summary(count: number): Promise<readonly string[]> {
    const lines: string[] = []
    while (lines.length < count) {
      const { type, item } = await this.object()
      lines.push(`${type} ${item.object.metadata.name}`)
    }
    return lines
  }
}
