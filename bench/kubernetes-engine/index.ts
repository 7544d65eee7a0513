import type { Result } from '../frame/result.ts'
import type { SuiteOptions } from '../run.ts'
import { startKubeApiserver, usePeer } from '../../test/peers/peer.ts'
import { type ListAndSync, run as listAndSync } from './list-and-sync.ts'
import { run as watchStream } from './watch-stream.ts'

/** The benchmark of the Kubernetes engine: events of a recorded watch, and list and sync beside client-go at a real kube-apiserver. */
export async function suite({ only, quick, rounds = quick ? 1 : 5, say }: SuiteOptions): Promise<readonly Result[]> {
  const wanted = (name: string) => only.length === 0 || only.some(start => name.startsWith(start))
  return [...(wanted('watch') ? [await watched(rounds)] : []), ...(wanted('sync') ? await synced(quick ? 2000 : 10_000, rounds, say) : [])]
}

async function watched(rounds: number): Promise<Result> {
  const details = await watchStream({ rounds })
  const value = details.eventsPerSecond
  return { name: 'watch of a recorded stream', unit: 'events/s', value, target: '≥ 20000 events/s', met: value >= 20_000, details }
}

async function synced(objects: number, rounds: number, say: (line: string) => void): Promise<readonly Result[]> {
  const clientGo = await usePeer('client-go-sync')
  const server = await startKubeApiserver()
  try {
    say(`the peer is client-go; both list ${objects} objects of the same kube-apiserver into an informer, by turns`)
    const measured = await listAndSync({ kubeconfig: server.kubeconfig, clientGo, objects, rounds })
    return [time(measured), processor(measured), memory(measured)]
  } finally {
    await server.stop()
  }
}

function time(details: ListAndSync): Result {
  return sync(details, 'time', 'ms', ({ milliseconds }) => milliseconds, 1.2)
}

function processor(details: ListAndSync): Result {
  return sync(details, 'CPU', 'ms', ({ cpuMilliseconds }) => cpuMilliseconds)
}

function memory(details: ListAndSync): Result {
  return sync(details, 'memory', 'MB', ({ residentBytes }) => residentBytes / 1e6, 2)
}

/** What a sync took on both sides; `most` is how many times the peer's share it may take. */
function sync(details: ListAndSync, what: string, unit: string, of: (side: ListAndSync['engine']) => number, most?: number): Result {
  const [value, peer] = [of(details.engine), of(details.clientGo)]
  const target = most === undefined ? {} : { target: `≤ ${most} × peer`, met: value <= most * peer }
  return { name: `sync of ${details.objects}: ${what}`, unit, value, peer, ratio: peer / value, ...target, details }
}
