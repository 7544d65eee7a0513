import type { Chance } from '../../ports/index.ts'
import { drawPools, type PoolScene } from './hatchery-scene.ts'

/** What can happen to the program, to what it stands on, and to its VMs. */
export type TroubleName =
  | 'program crashes'
  | 'program crashes at a call'
  | 'program is restarted'
  | 'pools are changed'
  | 'store is lost'
  | 'CDS is away'
  | 'sessions of CDS end'
  | 'all sessions of CDS end'
  | 'web sockets close'
  | 'web sockets break off'
  | 'web sockets fall silent'
  | 'vCenter is away'
  | 'sessions of vCenter end'
  | 'a clone is slow'
  | 'worker model is edited'
  | 'VM is switched off'
  | 'VM is deleted'
  | 'provision is switched on'

/** Something that goes wrong at a moment, and how long it lasts. */
export interface Trouble {
  readonly what: TroubleName
  /** Milliseconds from the beginning. */
  readonly at: number
  /** Milliseconds. */
  readonly lasts: number
  /** Whom it strikes, where that is one of several. */
  readonly hatchery: string
  /** Of several the so-and-so-many-th, and how many calls later. */
  readonly number: number
  /** What is to stand ready from then on. */
  readonly pools: readonly PoolScene[]
}

/** How often each comes up, and how long it lasts in seconds. */
const catalogue: Readonly<Record<TroubleName, { readonly weight: number; readonly lasts: readonly [from: number, to: number] }>> = {
  'program crashes': { weight: 6, lasts: [1, 90] },
  'program crashes at a call': { weight: 6, lasts: [1, 60] },
  'program is restarted': { weight: 2, lasts: [1, 30] },
  'pools are changed': { weight: 1, lasts: [1, 10] },
  'store is lost': { weight: 1, lasts: [20, 180] },
  'CDS is away': { weight: 3, lasts: [5, 360] },
  'sessions of CDS end': { weight: 2, lasts: [0, 1] },
  'all sessions of CDS end': { weight: 0.5, lasts: [0, 1] },
  'web sockets close': { weight: 1, lasts: [0, 1] },
  'web sockets break off': { weight: 1, lasts: [0, 1] },
  'web sockets fall silent': { weight: 1, lasts: [0, 1] },
  'vCenter is away': { weight: 3, lasts: [5, 300] },
  'sessions of vCenter end': { weight: 2, lasts: [0, 1] },
  'a clone is slow': { weight: 1, lasts: [60, 900] },
  'worker model is edited': { weight: 1, lasts: [0, 1] },
  'VM is switched off': { weight: 0.5, lasts: [0, 1] },
  'VM is deleted': { weight: 0.5, lasts: [0, 1] },
  'provision is switched on': { weight: 0.5, lasts: [0, 1] },
}

/** A storm that lasts longer has more of everything. */
const usualLength = 4 * 60_000

/** A few troubles of all sorts. */
export function drawTroubles(chance: Chance, length: number, hatcheries: readonly string[]): readonly Trouble[] {
  const names = Object.keys(catalogue) as TroubleName[]
  const troubles = Array.from({ length: Math.round(chance.integer(0, 8) * Math.max(1, length / usualLength)) }, (): Trouble => {
    const what = weighted(chance, names)
    const [from, to] = catalogue[what].lasts
    return {
      what,
      at: chance.integer(1_000, length),
      lasts: chance.integer(from * 1_000, to * 1_000),
      hatchery: chance.pick(hatcheries),
      number: chance.integer(0, 40),
      pools: what === 'pools are changed' ? drawPools(chance) : [],
    }
  })
  return troubles.toSorted((one, other) => one.at - other.at)
}

function weighted(chance: Chance, names: readonly TroubleName[]): TroubleName {
  const all = names.reduce((sum, name) => sum + catalogue[name].weight, 0)
  let left = chance.fraction() * all
  return names.find(name => (left -= catalogue[name].weight) < 0) ?? 'program crashes'
}
