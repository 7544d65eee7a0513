import type { Resource } from '../../kinds/index.ts'
import type { CompiledSelection } from '../selectors/selection.ts'
import type { WatchEvent } from '../store.ts'
import { Stored } from '../stored.ts'
import type { Collection } from './collection.ts'
import type { Version } from './version.ts'

type ObjectEvent = Extract<WatchEvent<Resource>, { readonly item: unknown }>

/**
 * What happened to one object at one revision: it was made if there is no `previous`, removed if there is no `current`. Its
 * events are made when first needed and shared by all who watch.
 */
export class Change {
  readonly revision: number
  readonly collection: Collection
  readonly key: string
  readonly previous: Version | undefined
  readonly current: Version | undefined
  /** When, by the clock that never goes backwards. */
  readonly at: number
  #events: { ADDED?: ObjectEvent; MODIFIED?: ObjectEvent; DELETED?: ObjectEvent } | undefined

  constructor(facts: Pick<Change, 'revision' | 'collection' | 'key' | 'previous' | 'current' | 'at'>) {
    this.revision = facts.revision
    this.collection = facts.collection
    this.key = facts.key
    this.previous = facts.previous
    this.current = facts.current
    this.at = facts.at
  }

  /** What somebody with this selection sees of it: an object that comes to match is added, one that no longer does is deleted. */
  eventFor(selection: CompiledSelection): ObjectEvent | undefined {
    const before = this.previous !== undefined && selection.matches(this.previous)
    const after = this.current !== undefined && selection.matches(this.current)
    if (after) return this.#event(before ? 'MODIFIED' : 'ADDED')
    return before ? this.#event('DELETED') : undefined
  }

  #event(type: ObjectEvent['type']): ObjectEvent {
    this.#events ??= {}
    return (this.#events[type] ??= { type, item: type === 'DELETED' ? this.#lastSeen() : this.current!.stored })
  }

  /** The last state that matched, at the revision at which it was lost, as Kubernetes shows it. */
  #lastSeen(): Stored<Resource> {
    const { object } = this.previous!.stored
    return Stored.fromObject({ ...object, metadata: { ...object.metadata, resourceVersion: String(this.revision) } })
  }
}
