import type { Draft, Kind, Resource } from '../../kinds/index.ts'
import type { Chance } from '../../ports/index.ts'
import { type Key, type Store, StoreError, type WatchEvent } from '../../store/index.ts'
import type { Weather } from './scene.ts'

/** What goes wrong between a program and its store. */
export interface FaultyStoreOptions {
  readonly chance: Chance
  readonly rates: Weather['store']
}

/** By which somebody else's hand can be told on an object. */
const touched = 'rehearsal.aviary.dev/touched'

/**
 * The same store, whose calls fail at random: nothing was done, or it was done and the reply is lost; or somebody else has just
 * changed the object, so that a write which rests on its last version is refused. Watches end, or have fallen too far behind.
 */
export function faultyStore(store: Store, { chance, rates }: FaultyStoreOptions): Store {
  const draw = () => {
    let left = chance.fraction()
    return (['before', 'after', 'conflict'] as const).find(fault => (left -= rates[fault] ?? 0) < 0)
  }
  const attempt = async <T>(act: () => Promise<T>, meddle: () => Promise<unknown> = async () => {}): Promise<T> => {
    const fault = draw()
    if (fault === 'before') throw unavailable(false)
    if (fault === 'conflict') await meddle()
    const result = await act()
    if (fault === 'after') throw unavailable(true)
    return result
  }
  return {
    get: (kind, key) => attempt(() => store.get(kind, key)),
    list: (kind, options) => attempt(() => store.list(kind, options)),
    create: (kind, draft, options) => attempt(() => store.create(kind, draft, options)),
    update: (kind, object, options) =>
      attempt(
        () => store.update(kind, object, options),
        () => touch(store, kind, keyOf(object)),
      ),
    delete: (kind, key, options) =>
      attempt(
        () => store.delete(kind, key, options),
        () => touch(store, kind, key),
      ),
    watch: (kind, options) => watched(() => store.watch(kind, options), draw),
    close: () => store.close(),
  }
}

function unavailable(sent: boolean): StoreError {
  return new StoreError('ServiceUnavailable', `rehearsed fault ${sent ? 'after' : 'before'} the store did what was asked`, { sent })
}

/** Somebody with rights on the store puts a word of his own on an object, if it is there. */
async function touch<R extends Resource>(store: Store, kind: Kind<R>, key: Key): Promise<void> {
  try {
    const there = await store.get(kind, key)
    const { annotations = {} } = there.metadata
    const times = String(Number(annotations[touched] ?? 0) + 1)
    const metadata = { ...there.metadata, annotations: { ...annotations, [touched]: times } }
    await store.update(kind, { ...there, metadata })
  } catch (error) {
    if (!StoreError.is(error, 'NotFound')) throw error
  }
}

function keyOf({ metadata: { name = '', namespace } }: Pick<Draft<Resource>, 'metadata'>): Key {
  return { name, ...(namespace !== undefined && { namespace }) }
}

/** The connection ends in good order, so that the reader goes on where it was; or what comes next is lost, and all must be read anew. */
async function* watched<R extends Resource>(
  open: () => AsyncIterable<readonly WatchEvent<R>[]>,
  draw: () => 'before' | 'after' | 'conflict' | undefined,
): AsyncGenerator<readonly WatchEvent<R>[], void, undefined> {
  for await (const batch of open()) {
    const fault = draw()
    if (fault === 'after') throw new StoreError('Expired', 'rehearsed fault: the reader fell too far behind')
    yield batch
    if (fault === 'before') return
  }
}
