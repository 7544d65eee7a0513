import { Nest } from '../../src/kinds/index.ts'
import { realClock } from '../../src/ports/index.ts'
import { installCrds } from '../../src/store/index.ts'
import { startKubeApiserver } from '../../test/peers/peer.ts'
import { engineFrom } from '../../test/peers/kubernetes-engine/engine.ts'
import type { Server } from './server.ts'

/** Starts kube-apiserver with an etcd that is on the disk before it answers, and teaches it the same kind. */
export async function startPeer(): Promise<Server> {
  const server = await startKubeApiserver({ durable: true })
  const engine = await engineFrom(server.kubeconfig)
  await installCrds({ store: engine.store, kinds: [Nest], version: '0.0.0', clock: realClock() })
  await engine.close()
  return {
    name: 'kube-apiserver',
    url: server.url,
    ca: server.ca,
    token: server.adminToken,
    pids: Object.values(server.pids),
    stop: () => server.stop(),
  }
}
