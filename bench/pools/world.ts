import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startControllers } from '../../src/control/index.ts'
import type { RunningControllers } from '../../src/control/index.ts'
import { allKinds, ClusterImageSet, ClusterPool, Namespace } from '../../src/kinds/index.ts'
import { clusterPools } from '../../src/pools/index.ts'
import { prometheusMetrics, realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { SimulatedInstaller } from '../../src/simulation/index.ts'
import { installCrds, openSqliteStore, type Store } from '../../src/store/index.ts'
import { engineFrom } from '../../test/peers/kubernetes-engine/engine.ts'
import { startKubeApiserver } from '../../test/peers/peer.ts'

/** The namespace of pools and claims. */
export const namespace = 'team'

const clock = realClock()
const chance = realChance()

/** Where objects live, and how that is cleared away. */
interface Engine {
  readonly store: Store
  readonly isEmbedded: boolean
  close(): Promise<void>
}

/** The engines that pools are measured on. */
export type EngineName = 'embedded' | 'kube-apiserver'

async function embedded(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'aviary-bench-pools-'))
  const store = await openSqliteStore({ folder, kinds: allKinds, clock, chance, log: silentLog })
  const close = async () => {
    await store.close()
    await rm(folder, { recursive: true })
  }
  return { store, isEmbedded: true, close }
}

/** A real kube-apiserver whose etcd syncs every write to the disk, as in production. */
async function kubernetes(): Promise<Engine> {
  const server = await startKubeApiserver({ durable: true })
  const engine = await engineFrom(server.kubeconfig)
  const kinds = allKinds.filter(({ group }) => group === 'hive.openshift.io')
  await installCrds({ store: engine.store, kinds, version: '0.0.0', clock })
  const close = async () => {
    await engine.close()
    await server.stop()
  }
  return { store: engine.store, isEmbedded: false, close }
}

/** Pools on an engine, with an installer that answers at once. */
export interface World {
  readonly clock: typeof clock
  readonly store: Store
  start(): RunningControllers
  createPool(name: string, size: number): Promise<ClusterPool>
  isReady(name: string, size: number): Promise<boolean>
  until(isSo: () => Promise<boolean>): Promise<void>
  close(): Promise<void>
}

/** Makes such a world. */
export async function world(name: EngineName): Promise<World> {
  const { store, isEmbedded, close } = await (name === 'embedded' ? embedded() : kubernetes())
  const metrics = prometheusMetrics()
  const installer = new SimulatedInstaller({ clock, installSeconds: 0, deprovisionSeconds: 0, powerSeconds: 0, failEvery: 0 })
  await store.create(Namespace, { metadata: { name: namespace } })
  await store.create(ClusterImageSet, { metadata: { name: 'release' }, spec: { releaseImage: 'x:1' } })
  return {
    clock,
    store,
    close,
    start: () =>
      startControllers({
        store,
        clock,
        chance,
        log: silentLog,
        metrics,
        controllers: clusterPools({ metrics, installer, grants: isEmbedded }),
      }),
    createPool: (pool, size) =>
      store.create(ClusterPool, {
        metadata: { name: pool, namespace },
        spec: { platform: { none: {} }, baseDomain: 'example.com', imageSetRef: { name: 'release' }, size, runningCount: size },
      }),
    isReady: async (pool, size) => {
      const { status } = await store.get(ClusterPool, { namespace, name: pool })
      return status?.ready === size && status.conditions?.find(({ type }) => type === 'Filled')?.status === 'True'
    },
    until: async isSo => {
      while (!(await isSo())) await clock.sleep(2)
    },
  }
}
