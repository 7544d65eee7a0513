import { allKinds, type Kind, Namespace } from '../../kinds/index.ts'
import { type Chance, seededChance, VirtualClock } from '../../ports/index.ts'
import { EmbeddedStore } from '../embedded/embedded-store.ts'
import { defaultWindow, type HistoryWindow } from '../embedded/history.ts'
import type { Journal } from '../embedded/journal.ts'
import { State } from '../embedded/state.ts'

/** An embedded store in memory, with what a test wants to be different. */
export interface MemoryWorld {
  readonly store: EmbeddedStore
  readonly clock: VirtualClock
  readonly state: State
}

/** Makes one, with the namespace `here` in it. */
export async function memoryWorld(
  options: {
    readonly kinds?: readonly Kind[]
    readonly chance?: Chance
    readonly window?: Partial<HistoryWindow>
    readonly journal?: Journal
  } = {},
): Promise<MemoryWorld> {
  const { kinds = allKinds, chance = seededChance(1), window = {}, journal } = options
  const clock = new VirtualClock()
  const state = new State(kinds, { ...defaultWindow, ...window })
  const store = new EmbeddedStore({ state, clock, chance, schedule: queueMicrotask, ...(journal === undefined ? {} : { journal }) })
  if (kinds.includes(Namespace)) await store.create(Namespace, { metadata: { name: 'here' }, spec: {} })
  return { store, clock, state }
}
