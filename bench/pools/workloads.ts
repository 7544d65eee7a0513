import { ClusterClaim } from '../../src/kinds/index.ts'
import type { RunningControllers } from '../../src/control/index.ts'
import { percentile } from '../frame/median.ts'
import { type EngineName, namespace, type World, world } from './world.ts'

/** Milliseconds from a claim's creation to its assignment. */
export interface Latency {
  readonly p50: number
  readonly p99: number
}

/** Milliseconds until a new pool of so many clusters is settled. */
export async function settlePool({ size }: { readonly size: number }): Promise<number> {
  const { clock, start, createPool, isReady, until, close } = await world('embedded')
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

/** How long claims that come one after another wait for their clusters, on a pool that has so many others beside it. */
export async function assignClaims({
  claims,
  engine = 'embedded',
  others = 0,
}: {
  readonly claims: number
  readonly engine?: EngineName
  readonly others?: number
}): Promise<Latency> {
  const made = await world(engine)
  const running = made.start()
  await running.ready
  await fill(made, others)
  await made.createPool('pool', 10)
  await made.until(() => made.isReady('pool', 10))
  const times = await claimTimes(made, running, claims)
  await running.stop()
  await made.close()
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

/** Makes so many settled pools of ten clusters. */
async function fill({ clock, createPool, isReady, until }: World, pools: number): Promise<void> {
  for (let index = 0; index < pools; index++) await createPool(`other-${index}`, 10)
  for (let index = 0; index < pools; index++) await until(() => isReady(`other-${index}`, 10))
  if (pools > 0) await clock.sleep(1_000)
}

async function claimTimes({ clock, store }: World, { informers }: RunningControllers, claims: number): Promise<readonly number[]> {
  const informer = informers.of(ClusterClaim)
  const times: number[] = []
  for (let index = 0; index < claims; index++) {
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
    const began = clock.monotonic()
    await store.create(ClusterClaim, { metadata: { name, namespace }, spec: { clusterPoolName: 'pool' } })
    await assigned
    times.push(clock.monotonic() - began)
    await clock.sleep(200)
  }
  return times
}

/** Milliseconds that new controllers need to look at all of so many settled pools of ten clusters. */
export async function resync({ pools }: { readonly pools: number }): Promise<number> {
  const made = await world('embedded')
  const { clock, start, close } = made
  const first = start()
  await first.ready
  await fill(made, pools)
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
