import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { Nest } from '../../src/kinds/index.ts'
import { httpClient, realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { kubernetesStore } from '../../src/store/index.ts'

export interface WatchStream {
  readonly events: number
  readonly eventBytes: number
  readonly eventsPerSecond: number
  readonly cpuMicrosecondsPerEvent: number
}

/** Reads a recorded watch from a real socket of the loopback: how many events a second become objects. The median of some rounds. */
export async function run({ events = 60_000, rounds = 5 } = {}): Promise<WatchStream> {
  const server = new Worker(new URL('stream-server.ts', import.meta.url), { workerData: { events } })
  const [{ port, eventBytes }] = (await once(server, 'message')) as [{ readonly port: number; readonly eventBytes: number }]
  const clock = realClock()
  const http = httpClient({ clock })
  const credentials = { origin: 'nobody', headers: async () => ({}), refused: () => false }
  const store = kubernetesStore({ http, server: `http://127.0.0.1:${port}`, credentials, clock, chance: realChance(), log: silentLog })
  const results: WatchStream[] = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    const used = process.threadCpuUsage()
    let seen = 0
    let eggs = 0
    for await (const batch of store.watch(Nest, { resourceVersion: '1', signal: new AbortController().signal })) {
      for (const event of batch) {
        if (event.type === 'BOOKMARK') continue
        seen++
        eggs += event.item.object.spec.eggs
      }
    }
    const seconds = (performance.now() - began) / 1000
    const { user, system } = process.threadCpuUsage(used)
    if (seen !== events || eggs !== events * 3) throw new Error(`${seen} of ${events} events arrived`)
    results.push({ events, eventBytes, eventsPerSecond: events / seconds, cpuMicrosecondsPerEvent: (user + system) / events })
  }
  await store.close()
  await http.close()
  await server.terminate()
  return results.toSorted((a, b) => a.eventsPerSecond - b.eventsPerSecond)[Math.floor(rounds / 2)] as WatchStream
}

if (import.meta.main) console.log(await run())
