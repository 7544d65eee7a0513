import type { Kind, Resource } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'
import type { Selection, Store } from '../store/index.ts'
import type { Io } from './io.ts'

/** Milliseconds between the end of a watch and the next one. */
const pause = 1_000

/** What is followed. */
export interface Followed {
  readonly store: Pick<Store, 'watch'>
  readonly selection: Selection
  /** Changes after this revision only. Absent: first everything there is. */
  readonly after?: string
}

/**
 * Objects as they come and change, until Ctrl-C. Servers end every watch after some minutes: it goes on from the last revision that
 * was seen, so that nothing is shown twice. Only what is older than the server remembers is shown whole again.
 */
export async function* changes<R extends Resource>(
  kind: Kind<R>,
  { store, selection, after }: Followed,
  { clock, signal }: Pick<Io, 'clock' | 'signal'>,
): AsyncGenerator<readonly R[], void> {
  let seen = after
  while (!signal.aborted) {
    const start = seen === undefined ? { initialEvents: true } : { resourceVersion: seen }
    try {
      for await (const events of store.watch(kind, { ...selection, ...start, bookmarks: true, signal })) {
        const objects: R[] = []
        for (const event of events) {
          if (event.type !== 'BOOKMARK') objects.push(event.item.object)
          // What there was at the beginning comes in the order of names, and tells nothing about how far we are.
          if (event.type === 'BOOKMARK') seen = event.resourceVersion
          else if (seen !== undefined) seen = event.item.object.metadata.resourceVersion
        }
        if (objects.length > 0) yield objects
      }
    } catch (error) {
      if (!StoreError.is(error, 'Expired')) throw error
      seen = undefined
    }
    await clock.sleep(pause, signal).catch(() => {})
  }
}
