/** The Kubernetes engine: events of a recorded watch, and list and sync beside client-go at a real kube-apiserver. */
import { startKubeApiserver, usePeer } from '../../test/peers/peer.ts'
import { run as listAndSync } from './list-and-sync.ts'
import { run as watchStream } from './watch-stream.ts'

/** Both measurements. The second needs kube-apiserver and the client-go program; without them it says why it is missing. */
export async function run({ objects = 10_000, rounds = 5 } = {}) {
  const watch = await watchStream({ rounds })
  try {
    const clientGo = await usePeer('client-go-sync')
    const server = await startKubeApiserver()
    try {
      return { watch, sync: await listAndSync({ kubeconfig: server.kubeconfig, clientGo, objects, rounds }) }
    } finally {
      await server.stop()
    }
  } catch (error) {
    return { watch, sync: undefined, why: error instanceof Error ? error.message : String(error) }
  }
}

if (import.meta.main) console.log(JSON.stringify(await run(), undefined, 2))
