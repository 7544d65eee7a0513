import type { Chance, Clock } from '../../ports/index.ts'

/** From so many milliseconds to so many; chance decides. */
export type Span = readonly [number, number]

/** How long things take in a simulated world, in milliseconds. */
export interface WorldTimings {
  /** One call, there and back. */
  readonly call: Span
  /** From a change to the client that watches. */
  readonly watch: Span
  readonly linkedClone: Span
  readonly fullClone: Span
  /** Reconfigure, rename, mark. */
  readonly change: Span
  readonly power: Span
  readonly destroy: Span
  /** From power-on to a guest that takes commands. */
  readonly boot: Span
  /** From power-on to the first address. */
  readonly address: Span
  /** From the request to shut down to the end. */
  readonly shutDown: Span
  /** How long a program runs in the guest, if no hook says otherwise. */
  readonly program: Span
}

/** A machine that VMs run on. */
export interface WorldHost {
  readonly name: string
  readonly cpus: number
  readonly memoryMB: number
}

/** What a template is, and what the guests made from it are like. */
export interface WorldTemplate {
  readonly name: string
  readonly cpus?: number
  readonly memoryMB?: number
  /** Default 20. */
  readonly diskGB?: number
  readonly annotation?: string
  /** Who may log in to its guests. Default: root with any password. */
  readonly login?: { readonly user: string; readonly password: string }
  /** What never happens in guests made from it. */
  readonly sick?: 'no tools' | 'no address' | 'no customization'
}

/** A share of the hosts; without limits it may use everything. */
export interface WorldPool {
  readonly name: string
  readonly cpuMHz?: number
  readonly memoryMB?: number
}

/** What a simulated world is made of. Everything but clock and chance has a default. */
export interface WorldOptions {
  readonly clock: Clock
  readonly chance: Chance
  readonly hosts?: readonly WorldHost[]
  readonly templates?: readonly WorldTemplate[]
  readonly pools?: readonly WorldPool[]
  /** How many VMs the datastore holds. Default: any number. */
  readonly mostVms?: number
  readonly timings?: Partial<WorldTimings>
}

/** Seconds where a real vCenter takes seconds: figures of a middling one. */
export const usualTimings: WorldTimings = {
  call: [5, 40],
  watch: [10, 200],
  linkedClone: [8_000, 20_000],
  fullClone: [60_000, 180_000],
  change: [500, 2_000],
  power: [1_000, 3_000],
  destroy: [1_000, 4_000],
  boot: [15_000, 40_000],
  address: [20_000, 50_000],
  shutDown: [3_000, 15_000],
  program: [30_000, 300_000],
}

/** Four hosts on which a few hundred small VMs find room. */
export const usualHosts: readonly WorldHost[] = ['host-a', 'host-b', 'host-c', 'host-d'].map(name => ({
  name,
  cpus: 64,
  memoryMB: 512 * 1024,
}))
