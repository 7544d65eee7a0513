import type { Clock } from '../ports/index.ts'
import type { Kind, Resource } from '../kinds/index.ts'
import type { Stored, WatchEvent } from '../store/index.ts'
import type { Status } from './status.ts'
import { columnDefinitions, partialObject } from './table.ts'
import { table, type View } from './view.ts'

/** Writes the events of one watch, one after another. */
export interface EventWriter {
  event(event: WatchEvent<Resource>): Uint8Array
  /** The last word: why the watch ends. */
  error(status: Status): Uint8Array
}

/** The annotation that tells a client that it has now seen all there was. */
const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' }

type Texts = Partial<Record<WatchEvent<Resource>['type'], Uint8Array>>

/** Makes writers. Events that many see are written once: the bytes are kept as long as the store keeps the revision. */
export class EventWriters {
  readonly #clock: Clock
  readonly #written = new WeakMap<Stored<Resource>, Texts>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  writer(kind: Kind, view: View): EventWriter {
    switch (view.as) {
      case 'Table':
        return this.#tables(kind, view)
      case 'PartialObjectMetadata':
      case 'PartialObjectMetadataList':
        return writer(
          ({ object }) => partialObject(object, view.version),
          bookmark => partialObject(bookmarkObject(kind, bookmark), view.version),
        )
      case 'itself':
        return this.#plain(kind)
    }
  }

  #plain(kind: Kind): EventWriter {
    const others = writer(
      ({ object }) => object,
      bookmark => bookmarkObject(kind, bookmark),
    )
    return { ...others, event: event => (event.type === 'BOOKMARK' ? others.event(event) : this.#shared(event.type, event.item)) }
  }

  #shared(type: 'ADDED' | 'MODIFIED' | 'DELETED', item: Stored<Resource>): Uint8Array {
    let texts = this.#written.get(item)
    if (texts === undefined) this.#written.set(item, (texts = {}))
    return (texts[type] ??= Buffer.from(`{"type":"${type}","object":${item.json}}\n`))
  }

  /** The headings come with the first event only. */
  #tables(kind: Kind, view: View): EventWriter {
    let headings = true
    const rows = (object: Resource) => {
      const shown = table(view, kind, [object], { resourceVersion: object.metadata.resourceVersion }, this.#clock.now(), headings)
      headings = false
      return shown
    }
    return writer(
      ({ object }) => rows(object),
      bookmark => {
        const object = bookmarkObject(kind, bookmark)
        const cells = columnDefinitions(kind).map((_, index) => (kind.columns[index]!.format === 'name' ? '' : null))
        const shown = table(view, kind, [], { resourceVersion: bookmark.resourceVersion }, this.#clock.now(), headings)
        headings = false
        return { ...shown, rows: [{ cells, object: partialObject(object, view.version) }] }
      },
    )
  }
}

type Bookmark = Extract<WatchEvent<Resource>, { type: 'BOOKMARK' }>

function writer(shown: (item: Stored<Resource>) => object, mark: (bookmark: Bookmark) => object): EventWriter {
  const line = (type: string, object: object) => Buffer.from(`${JSON.stringify({ type, object })}\n`)
  return {
    event: event => line(event.type, event.type === 'BOOKMARK' ? mark(event) : shown(event.item)),
    error: status => line('ERROR', status),
  }
}

function bookmarkObject(kind: Kind, { resourceVersion, initialEventsEnd: end }: Bookmark): Resource {
  const metadata = { resourceVersion, ...(end ? { annotations: initialEventsEnd } : {}) }
  return { kind: kind.name, apiVersion: kind.apiVersion, metadata } as unknown as Resource
}
