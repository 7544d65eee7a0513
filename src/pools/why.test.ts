import { afterEach, expect, test } from 'vitest'
import { allKinds } from '../kinds/index.ts'
import type { Resource } from '../kinds/index.ts'
import { explain, explainText, storeReader } from '../control/index.ts'
import { PoolWorld } from './testing/pool-world.ts'

// What `aviary why` says about a pool, a claim and a cluster.

let world: PoolWorld
afterEach(() => world.stop())

async function ready(): Promise<void> {
  world = await PoolWorld.started()
  await world.createPool({ size: 2, runningCount: 1, inventory: world.inventory('a', 'b') })
  await world.seconds(200)
}

const why = (object: Resource) => explain(object, storeReader(world.store, allKinds), { now: world.clock.now() })

test('a pool that has what it should have waits for nothing, nor do its clusters, whether they run or hibernate', async () => {
  await ready()
  expect((await why(await world.pool())).state).toBe('settled')
  const clusters = await world.clusters()
  expect(clusters.map(({ status }) => status?.powerState ?? '').toSorted()).toEqual(['Hibernating', 'Running'])
  for (const cluster of clusters) expect((await why(cluster)).state).toBe('settled')
})

test('a claim that has its cluster waits for nothing', async () => {
  await ready()
  await world.claim('mine')
  await world.settle()
  expect((await why(await world.getClaim('mine'))).state).toBe('settled')
})

test('a claim that waits says where it stands, and what its pool waits for', async () => {
  await ready()
  for (const name of ['x', 'y', 'z']) {
    await world.claim(name)
    await world.seconds(60)
  }
  const text = explainText(await why(await world.getClaim('z')), { now: world.clock.now() })
  expect(text).toContain('position 1 of 1')
  expect(text).toContain('CapacityAvailable is False: InventoryExhausted')
  expect(text).toMatch(/unblock +(raise spec.maxSize, or )?add names to spec.inventory/)
})

test('a cluster that is being installed says how far it is', async () => {
  world = await PoolWorld.started()
  await world.createPool({ size: 1, inventory: world.inventory('a') })
  await world.seconds(20)
  const { state, waits } = await why((await world.cluster('a'))!)
  expect(state).toBe('waiting')
  expect(waits).toEqual([expect.objectContaining({ condition: 'Provisioned', reason: 'Provisioning', until: expect.any(String) })])
})
