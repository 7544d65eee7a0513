import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startControllers } from '../../src/control/index.ts'
import { allKinds, ClusterClaim, ClusterImageSet, ClusterPool, Namespace } from '../../src/kinds/index.ts'
import { claimController, clusterController, namespaceReaper, poolController } from '../../src/pools/index.ts'
import { prometheusMetrics, realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { SimulatedInstaller } from '../../src/simulation/index.ts'
import { openSqliteStore } from '../../src/store/index.ts'
import { percentile } from '../frame/median.ts'

const namespace = 'team'

/** The embedded engine with the controllers of pools and an installer that answers at once. */
async function world() {
  const folder = await mkdtemp(join(tmpdir(), 'aviary-bench-pools-'))
  const clock = realClock()
  const chance = realChance()
  const metrics = prometheusMetrics()
  const store = await openSqliteStore({ folder, kinds: allKinds, clock, chance, log: silentLog })
  const installer = new SimulatedInstaller({ clock, installSeconds: 0, deprovisionSeconds: 0, powerSeconds: 0, failEvery: 0 })
  await store.create(Namespace, { metadata: { name: namespace } })
  await store.create(ClusterImageSet, { metadata: { name: 'release' }, spec: { releaseImage: 'x:1' } })
  const start = () =>
    startControllers({
      store,
      clock,
      chance,
      log: silentLog,
      metrics,
      controllers: [poolController({ metrics }), claimController({ grants: true }), clusterController({ installer }), namespaceReaper()],
    })
  const createPool = (name: string, size: number) =>
    store.create(ClusterPool, {
      metadata: { name, namespace },
      spec: { platform: { none: {} }, baseDomain: 'example.com', imageSetRef: { name: 'release' }, size, runningCount: size },
    })
  const isReady = async (name: string, size: number) => {
    const { status } = await store.get(ClusterPool, { namespace, name })
    return status?.ready === size && status.conditions?.find(({ type }) => type === 'Filled')?.status === 'True'
  }
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await clock.sleep(2)
  }
  const close = async () => {
    await store.close()
    await rm(folder, { recursive: true })
  }
  return { clock, store, start, createPool, isReady, until, close }
}

/** Milliseconds until a new pool of so many clusters is settled. */
export async function settlePool({ size }: { readonly size: number }): Promise<number> {
  const { clock, start, createPool, isReady, until, close } = await world()
  const running = start()
  await running.ready
  const began = clock.monotonic()
  await createPool('pool', size)
  await until(() => isReady('pool', size))
  const took = clock.monotonic() - began
  await running.stop()
  await close()
  return took
}

/** Milliseconds from a claim's creation to its assignment, for claims that come one after another. */
export async function assignClaims({ claims }: { readonly claims: number }): Promise<{ readonly p50: number; readonly p99: number }> {
  const { clock, store, start, createPool, isReady, until, close } = await world()
  const running = start()
  await running.ready
  await createPool('pool', 10)
  await until(() => isReady('pool', 10))
  const informer = running.informers.of(ClusterClaim)
  const times: number[] = []
  for (let index = 0; index < claims; index++) {
    const began = clock.monotonic()
    const name = `claim-${index}`
    const assigned = new Promise<void>(resolve => {
      const stop = informer.on({
        changed: claim => {
          if (claim.metadata.name !== name || claim.spec.namespace === undefined) return
          stop()
          resolve()
        },
      })
    })
    await store.create(ClusterClaim, { metadata: { name, namespace }, spec: { clusterPoolName: 'pool' } })
    await assigned
    times.push(clock.monotonic() - began)
    await clock.sleep(200)
  }
  await running.stop()
  await close()
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

/** Milliseconds that new controllers need to look at all of so many settled pools of ten clusters. */
export async function resync({ pools }: { readonly pools: number }): Promise<number> {
  const { clock, start, createPool, isReady, until, close } = await world()
  const first = start()
  await first.ready
  for (let index = 0; index < pools; index++) await createPool(`pool-${index}`, 10)
  for (let index = 0; index < pools; index++) await until(() => isReady(`pool-${index}`, 10))
  await clock.sleep(1_000)
  await first.stop()
  const began = clock.monotonic()
  const second = start()
  await second.ready
  let looked = clock.monotonic()
  // Nothing has changed, so that looking is all there is to do: the queues are empty when the loop is free.
  for (let idle = 0; idle < 5;) {
    const before = clock.monotonic()
    await clock.sleep(20)
    if (clock.monotonic() - before < 40) idle++
    else [idle, looked] = [0, clock.monotonic()]
  }
  await second.stop()
  await close()
  return looked - began
}
