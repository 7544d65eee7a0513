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
  const [value, peer] = [details.engine.milliseconds, details.clientGo.milliseconds]
  return {
    name: `sync of ${details.objects}: time`,
    unit: 'ms',
    value,
    peer,
    ratio: peer / value,
    target: '≤ 1.2 × peer',
    met: value <= 1.2 * peer,
    details,
  }
}

function processor(details: ListAndSync): Result {
  const [value, peer] = [details.engine.cpuMilliseconds, details.clientGo.cpuMilliseconds]
  return { name: `sync of ${details.objects}: CPU`, unit: 'ms', value, peer, ratio: peer / value, details }
}

function memory(details: ListAndSync): Result {
  const [value, peer] = [details.engine.residentBytes / 1e6, details.clientGo.residentBytes / 1e6]
  return {
    name: `sync of ${details.objects}: memory`,
    unit: 'MB',
    value,
    peer,
    ratio: peer / value,
    target: '≤ 2 × peer',
    met: value <= 2 * peer,
    details,
  }
}
