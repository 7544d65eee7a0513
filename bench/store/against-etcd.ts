import { startEtcd } from '../../test/peers/peer.ts'
import { inChild, type Measured } from '../frame/child-process.ts'
import { inFolder } from '../frame/in-folder.ts'
import { median } from '../frame/median.ts'
import type { Result } from '../frame/result.ts'
import { cpuMicroseconds } from '../frame/usage.ts'

/** The same work for Aviary and for etcd. */
export interface Duel {
  readonly name: string
  readonly workload: 'create' | 'cas' | 'list'
  /** So many objects are there in the end. */
  readonly objects: number
  /** So many operations are measured, the last ones. */
  readonly count: number
  /** etcd gets fewer where it would take minutes. */
  readonly etcdCount?: number
  readonly writers: number
  readonly rounds: number
  readonly target: number
}

/** Lets both do it by turns, each time from nothing, and compares the medians. */
export async function fight(duel: Duel, say: (line: string) => void): Promise<Result> {
  const ours: Measured[] = []
  const theirs: Measured[] = []
  for (let round = 0; round < duel.rounds; round++) {
    ours.push(
      await inFolder(folder =>
        inChild(new URL('aviary-child.ts', import.meta.url), [duel.workload, folder, duel.objects, duel.count, duel.writers]),
      ),
    )
    theirs.push(await etcdRound(duel))
    say(`${duel.name}, round ${round + 1} of ${duel.rounds}: ${rate(ours.at(-1)!)} to ${rate(theirs.at(-1)!)}`)
  }
  const value = median(ours.map(({ perSecond }) => perSecond!))
  const peer = median(theirs.map(({ perSecond }) => perSecond!))
  const ratio = value / peer
  return {
    name: duel.name,
    unit: '/s',
    value,
    peer,
    ratio,
    target: `≥ ${duel.target}×`,
    met: ratio >= duel.target,
    details: { duel, ours, theirs },
  }
}

async function etcdRound(duel: Duel): Promise<Measured> {
  const server = await startEtcd()
  try {
    const count = duel.etcdCount ?? duel.count
    const measured = await inChild(new URL('etcd-child.ts', import.meta.url), [
      duel.workload,
      new URL(server.url).host,
      duel.objects,
      count,
      duel.writers,
    ])
    // The server's is known only for all it did: making the objects, warming up, and what was measured.
    const all = { create: duel.objects, cas: 2 * duel.objects + count, list: duel.objects + count }[duel.workload]
    return { ...measured, serverCpuMicroseconds: cpuMicroseconds([server.pid]) / all }
  } finally {
    await server.stop()
  }
}

function rate({ perSecond }: Measured): string {
  return `${Math.round(perSecond!)}/s`
}
