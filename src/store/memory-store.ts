import type { Chance, Clock } from '../ports/index.ts'
import type { Kind } from '../kinds/index.ts'
import { EmbeddedStore } from './embedded/embedded-store.ts'
import { defaultWindow } from './embedded/history.ts'
import { State } from './embedded/state.ts'
import type { Store } from './store.ts'

/**
 * The store that lives and dies with the process: for rehearsals and tests. Apart from durability it keeps every promise of a
 * store; a write is done before the next event of the loop, so that under a virtual clock nothing waits for real time.
 */
export function memoryStore({
  kinds,
  clock,
  chance,
}: {
  readonly kinds: readonly Kind[]
  readonly clock: Clock
  readonly chance: Chance
}): Store {
  return new EmbeddedStore({ state: new State(kinds, defaultWindow), clock, chance, schedule: queueMicrotask })
}
