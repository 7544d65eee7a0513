import { median } from '../frame/median.ts'
import type { Result } from '../frame/result.ts'
import type { SuiteOptions } from '../run.ts'
import { startAviary } from './aviary-server.ts'
import { Loaded } from './load.ts'
import { startPeer } from './peer-server.ts'
import { residentBytes } from '../frame/usage.ts'
import { watching } from './watching.ts'

/** The same for Aviary and for its peer, measured once for a round; the servers stay up all the while. */
interface Duel {
  readonly name: string
  readonly unit: string
  readonly lessIsBetter?: boolean
  /** How many times better than the peer. */
  readonly atLeast?: number
  /** A limit on Aviary's own figure. */
  readonly atMost?: number
  /** So many nests are there before it. */
  readonly objects: number
  /** Rounds at most: one may be enough, or all there is time for. */
  readonly rounds: number
  measure(at: Loaded): Promise<Measured>
}

interface Measured {
  readonly value: number
  readonly details: unknown
}

/** The benchmark of the API server: the real kube-apiserver with etcd does the same by turns, through the same client. */
export async function suite({ only, quick, rounds = quick ? 1 : 5, say }: SuiteOptions): Promise<readonly Result[]> {
  const wanted = ({ name }: { readonly name: string }) => only.length === 0 || only.some(start => name.startsWith(start))
  const results: Result[] = []
  if (wanted({ name: 'start' })) results.push(await starting(rounds, say))
  const duels = duelsFor(quick, rounds)
  if (!duels.some(wanted)) return results
  await using stack = new AsyncDisposableStack()
  const servers: Loaded[] = []
  for (const start of [startAviary, startPeer]) {
    const server = await start()
    stack.defer(() => server.stop())
    servers.push(new Loaded(server))
  }
  for (const each of servers) await each.prepare()
  // A server's first requests are spent on compiling and filling caches, on both sides; its start is measured on its own.
  for (const each of servers) await each.create(quick ? 200 : 2000, 1)
  for (const duel of duels.filter(wanted)) {
    for (const each of servers) if (each.made < duel.objects) await each.create(duel.objects - each.made, 32)
    results.push(await fight(duel, servers, say))
  }
  return results
}

function duelsFor(quick: boolean, rounds: number): readonly Duel[] {
  const objects = quick ? 2000 : 10_000
  const alone = objects * 0.3
  const creating = (clients: number, all: number) => async (at: Loaded) => rate(await at.create(Math.floor(all / rounds), clients))
  return [
    { name: 'creates by 1 client', unit: '/s', atLeast: 1, objects: 0, rounds, measure: creating(1, alone) },
    { name: 'creates by 64 clients', unit: '/s', atLeast: 2, objects: alone, rounds, measure: creating(64, objects / 2) },
    { name: `memory with ${objects} objects`, unit: 'MB', lessIsBetter: true, atLeast: 3, objects, rounds: 1, measure: memory },
    {
      name: 'patches by 64 clients',
      unit: '/s',
      atLeast: 3,
      objects,
      rounds,
      measure: async at => rate(await at.patch(quick ? 500 : 2000, 64)),
    },
    {
      name: `lists by label, 100 of ${objects}`,
      unit: '/s',
      atLeast: 5,
      objects,
      rounds,
      measure: async at => rate(await at.list(quick ? 20 : 50, 'hundredth=7', objects / 100)),
    },
    {
      name: `lists of all ${objects}`,
      unit: '/s',
      atLeast: 3,
      objects,
      rounds,
      measure: async at => rate(await at.list(quick ? 2 : 5, 'all=yes', objects)),
    },
    {
      name: 'watches: 100, 500 changes/s, p99',
      unit: 'ms',
      lessIsBetter: true,
      atMost: 500,
      objects,
      rounds: Math.min(rounds, 3),
      measure: async at => {
        const seen = await watching(at.server, { watchers: 100, perSecond: 500, seconds: quick ? 3 : 10, objects })
        return { value: seen.p99, details: seen }
      },
    },
  ]
}

function rate(load: { readonly perSecond: number }): Measured {
  return { value: load.perSecond, details: load }
}

async function memory({ server }: Loaded): Promise<Measured> {
  const value = residentBytes(server.pids) / 1e6
  return { value, details: value }
}

/** Lets both do it by turns, the other one first each time, and compares the medians. */
async function fight(duel: Duel, servers: readonly Loaded[], say: (line: string) => void): Promise<Result> {
  const measured = new Map(servers.map(at => [at, [] as Measured[]]))
  for (let round = 0; round < duel.rounds; round++) {
    const order = round % 2 === 0 ? servers : servers.toReversed()
    for (const at of order) measured.get(at)!.push(await duel.measure(at))
    const shown = servers.map(at => Math.round(measured.get(at)!.at(-1)!.value)).join(' to ')
    say(`${duel.name}, round ${round + 1} of ${duel.rounds}: ${shown} ${duel.unit}`)
  }
  const [value = 0, peer = 0] = servers.map(at => median(measured.get(at)!.map(each => each.value)))
  const ratio = duel.lessIsBetter === true ? peer / value : value / peer
  const details = Object.fromEntries(servers.map(at => [at.server.name, measured.get(at)!.map(each => each.details)]))
  return { name: duel.name, unit: duel.unit, value, peer, ratio, ...verdict(duel, value, ratio), details }
}

function verdict({ atLeast, atMost, unit }: Duel, value: number, ratio: number): Pick<Result, 'target' | 'met'> {
  if (atLeast !== undefined) return { target: `≥ ${atLeast}×`, met: ratio >= atLeast }
  return { target: `≤ ${atMost} ${unit}`, met: value <= (atMost ?? Infinity) }
}

/** From the command to the line that says it serves, with an empty data folder. */
async function starting(rounds: number, say: (line: string) => void): Promise<Result> {
  const seconds: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const server = await startAviary()
    seconds.push(server.seconds)
    await server.stop()
    say(`start to ready, round ${round} of ${rounds}: ${server.seconds.toFixed(2)} s`)
  }
  const value = median(seconds)
  return { name: 'start to ready', unit: 's', value, target: '≤ 1.5 s', met: value <= 1.5, details: seconds }
}
