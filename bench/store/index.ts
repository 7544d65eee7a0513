import { findPeer } from '../../test/peers/table.ts'
import { inChild, type Measured } from '../frame/child-process.ts'
import { inFolder } from '../frame/in-folder.ts'
import { median } from '../frame/median.ts'
import type { Result } from '../frame/result.ts'
import type { SuiteOptions } from '../run.ts'
import { type Duel, fight } from './against-etcd.ts'

/** The benchmark of the store: against etcd what both can do, and alone what only Aviary does. */
export async function suite({ only, quick, rounds, say }: SuiteOptions): Promise<readonly Result[]> {
  const wanted = (name: string) => only.length === 0 || only.some(start => name.startsWith(start))
  const results: Result[] = []
  const duels = duelsFor(quick, rounds).filter(({ name }) => wanted(name))
  if (duels.length > 0) {
    say(`the peer is etcd ${findPeer('etcd').version}, seen by a client in Node: grpc-js, one channel, messages encoded by hand`)
    for (const duel of duels) results.push(await fight(duel, say))
  }
  for (const [name, run] of Object.entries(alone))
    if (wanted(name)) results.push(...(await run(name, quick, rounds ?? (quick ? 1 : 5), say)))
  return results
}

function duelsFor(quick: boolean, rounds: number | undefined): readonly Duel[] {
  const times = rounds ?? (quick ? 1 : 5)
  const [small, large] = quick ? [2000, 10_000] : [10_000, 100_000]
  return [
    // The objects before those that are measured warm both up.
    { name: 'creates by 1 writer', workload: 'create', objects: 2 * small, count: small, writers: 1, rounds: times, target: 1 },
    {
      name: `creates by 256, ${small} objects`,
      workload: 'create',
      objects: small,
      count: small * 0.8,
      writers: 256,
      rounds: times,
      target: 2,
    },
    {
      name: `creates by 256, ${large} objects`,
      workload: 'create',
      objects: large,
      count: small,
      writers: 256,
      rounds: Math.min(times, 3),
      target: 2,
    },
    {
      name: 'updates by 256, compare and swap',
      workload: 'cas',
      objects: small,
      count: 3 * small,
      etcdCount: small,
      writers: 256,
      rounds: times,
      target: 8,
    },
    { name: 'lists by label', workload: 'list', objects: small, count: 500, etcdCount: 5, writers: 1, rounds: times, target: 20 },
  ]
}

type Alone = (name: string, quick: boolean, rounds: number, say: (line: string) => void) => Promise<readonly Result[]>

/** What has no counterpart in etcd. */
const alone: Readonly<Record<string, Alone>> = {
  async opening(name, quick, rounds, say) {
    const objects = quick ? 10_000 : 100_000
    const opened = await inFolder(async folder => {
      await inChild(new URL('opening.ts', import.meta.url), ['fill', folder, objects])
      return repeated(rounds, name, say, () => inChild(new URL('opening.ts', import.meta.url), ['open', folder]))
    })
    const seconds = median(opened.map(round => round['seconds']!))
    const bytes = median(opened.map(round => round['bytesPerObject']!))
    return [
      { name: `opening ${objects} objects`, unit: 's', value: seconds, target: '≤ 2 s', met: seconds <= 2, details: opened },
      { name: `memory for an object of ${opened[0]!['textBytes']} bytes`, unit: 'bytes', value: bytes, details: opened },
    ]
  },

  async watching(name, quick, rounds, say) {
    const measured = await repeated(rounds, name, say, () =>
      inFolder(folder => inChild(new URL('watching.ts', import.meta.url), [folder, 1000, 10, 1000, quick ? 2 : 10])),
    )
    const p99 = median(measured.map(round => round['p99']!))
    return [
      {
        name: 'watching: 1,000 changes/s, 1,000 watchers, p99',
        unit: 'ms',
        value: p99,
        target: '≤ 100 ms',
        met: p99 <= 100,
        details: measured,
      },
    ]
  },

  async controller(name, quick, rounds, say) {
    const objects = quick ? 2000 : 10_000
    const measured = await repeated(rounds, name, say, () => inChild(new URL('controller.ts', import.meta.url), [objects]))
    const rate = median(measured.map(round => round['perSecond']!))
    return [
      {
        name: `controller: three steps for ${objects} objects`,
        unit: '/s',
        value: rate,
        target: '≥ 3000 /s',
        met: rate >= 3000,
        details: measured,
      },
    ]
  },

  async simulation(name, _quick, rounds, say) {
    const measured = await repeated(rounds, name, say, () => inChild(new URL('simulation.ts', import.meta.url), []))
    // Compiling is not what is measured, here as elsewhere; what it costs is said apart.
    const [first, seconds] = [median(measured.map(round => round['first']!)), median(measured.map(round => round['seconds']!))]
    return [
      { name: 'simulation: an hour of 1,000 objects', unit: 's', value: seconds, target: '≤ 1 s', met: seconds <= 1, details: measured },
      { name: 'simulation: the first in its process', unit: 's', value: first, details: measured },
    ]
  },
}

async function repeated(
  rounds: number,
  name: string,
  say: (line: string) => void,
  round: () => Promise<Measured>,
): Promise<readonly Measured[]> {
  const measured: Measured[] = []
  for (let number = 1; number <= rounds; number++) {
    measured.push(await round())
    say(`${name}, round ${number} of ${rounds}: ${JSON.stringify(measured.at(-1))}`)
  }
  return measured
}
