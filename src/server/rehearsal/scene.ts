import { type Chance, seededChance } from '../../ports/index.ts'
import type { FaultRates } from '../../simulation/index.ts'
import { drawHatchery, type HatcheryScene } from './hatchery-scene.ts'
import { drawJobs, type JobScene } from './job-scene.ts'
import { drawTroubles, type Trouble } from './troubles.ts'

/** How often calls go wrong, each between 0 and 1. */
export interface Weather {
  /** Single messages between a client and vCenter; the client tries again by itself. */
  readonly messages: FaultRates
  /** Calls of the platform as a whole, after all tries. */
  readonly platform: FaultRates
  /** Calls of hatcheries to CDS; `refused` is an answer that says no more than that something is wrong. */
  readonly cds: FaultRates & { readonly refused?: number }
  /** Calls of workers to CDS. */
  readonly workers: FaultRates
  /** Calls of hatcheries to their store; `conflict`: somebody else has just changed what is to be written. */
  readonly store: Omit<FaultRates, 'hang'> & { readonly conflict?: number }
}

/** How workers behave, each between 0 and 1: they never sign in, freeze in the middle of their job, or their job fails. */
export interface Mishaps {
  readonly silent: number
  readonly freezes: number
  readonly fails: number
}

/** Everything that a rehearsal is made of, drawn from its seed before it begins. */
export interface Scene {
  readonly seed: number
  /** For so long things happen; then the weather is good, and everything must come to its end. Milliseconds. */
  readonly length: number
  /** Whether VMs get their addresses from ranges, or by DHCP. */
  readonly addresses: 'ranges' | 'DHCP'
  readonly weather: Weather
  readonly mishaps: Mishaps
  readonly hatcheries: readonly HatcheryScene[]
  /** Whether two hatcheries keep one store and one range of addresses between them. */
  readonly sharedStore: boolean
  /** Whether two hatcheries take addresses from one range and do not know of each other. */
  readonly sharedRange: boolean
  readonly model: 'stands ready' | 'must be built'
  readonly jobs: readonly JobScene[]
  readonly troubles: readonly Trouble[]
  /** Whether it goes on until the last address is free, which takes minutes in which nothing else happens. */
  readonly isPatient: boolean
}

const minute = 60_000

/** What the rehearsal of a seed is like. Its length is drawn too, unless it is given. */
export function drawScene(seed: number, given?: number): Scene {
  const chance = seededChance(`rehearsal ${seed}`)
  const calm = chance.fraction() < 0.08
  const drawn = chance.integer(2, 6) * minute
  const length = given ?? drawn
  const addresses = chance.fraction() < 0.75 ? 'ranges' : 'DHCP'
  const names = chance.fraction() < 0.25 ? ['hv1', 'hv2'] : ['hv1']
  const sharedStore = names.length > 1 && chance.fraction() < 0.5
  const sharedRange = names.length > 1 && !sharedStore && chance.fraction() < 0.5
  const weather = calm ? fine : drawWeather(chance)
  const mishaps = calm || chance.fraction() < 0.6 ? noMishaps : drawMishaps(chance)
  const hatcheries = names.map(name => drawHatchery(name, chance))
  return {
    seed,
    length,
    addresses,
    weather,
    mishaps,
    hatcheries,
    sharedStore,
    sharedRange,
    model: chance.fraction() < 0.7 ? 'stands ready' : 'must be built',
    jobs: drawJobs(chance, length, calm),
    troubles: calm ? [] : drawTroubles(chance, length, names),
    isPatient: chance.fraction() < 0.25,
  }
}

/** Whether workers may be lost after they have begun their job, so that it may have to be begun again. */
export function losesWorkers({ mishaps, weather, troubles }: Scene): boolean {
  return mishaps.freezes > 0 || weather.workers !== none || troubles.some(isLossOfWorkers)
}

/** A worker gives up if CDS is away for half a minute when it wants to begin, to deliver its result or to say goodbye. */
function isLossOfWorkers({ what, lasts }: Trouble): boolean {
  return (
    what === 'VM is switched off' ||
    what === 'VM is deleted' ||
    what === 'all sessions of CDS end' ||
    (what === 'CDS is away' && lasts > 20_000)
  )
}

/** Whether anything at all goes wrong. */
export function isCalm({ weather, mishaps, troubles }: Scene): boolean {
  return weather === fine && mishaps === noMishaps && troubles.length === 0
}

const none: FaultRates = {}
const fine: Weather = { messages: none, platform: none, cds: none, workers: none, store: none }
const noMishaps: Mishaps = { silent: 0, freezes: 0, fails: 0 }

function drawWeather(chance: Chance): Weather {
  const cds = drawRates(chance, 0.7, [0.01, 0.03, 0.1])
  const { hang: conflict = 0, ...store } = drawRates(chance, 0.4, [0.01, 0.05, 0.15])
  return {
    messages: drawRates(chance, 0.6, [0.01, 0.05, 0.15]),
    platform: drawRates(chance, 0.5, [0.01, 0.03, 0.1]),
    cds: chance.fraction() < 0.3 ? { ...cds, refused: 0.02 } : cds,
    workers: drawRates(chance, 0.15, [0.005, 0.02]),
    store: { ...store, conflict },
  }
}

/** Rates that come up so often; of a total, divided at random among the three faults. */
function drawRates(chance: Chance, often: number, totals: readonly number[]): FaultRates {
  if (chance.fraction() >= often) return none
  const total = chance.pick(totals)
  const [before, after, hang] = [chance.fraction(), chance.fraction(), chance.fraction() / 2]
  const unit = total / (before + after + hang)
  return { before: before * unit, after: after * unit, hang: hang * unit }
}

function drawMishaps(chance: Chance): Mishaps {
  const often = () => (chance.fraction() < 0.5 ? chance.pick([0.03, 0.1, 0.2]) : 0)
  return { silent: often(), freezes: often(), fails: often() }
}
