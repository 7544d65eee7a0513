import { afterEach, expect, test } from 'vitest'
import { ClusterPool } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import { PoolWorld } from './testing/pool-world.ts'

let world: PoolWorld
afterEach(() => world.stop())

/** The series of a pool, by name without what all of them have in common. */
async function series(start: string): Promise<Readonly<Record<string, number>>> {
  const found = (await world.metrics.text()).matchAll(/^(\w+)\{clusterpool_namespace="team",clusterpool_name="pool"\} (.+)$/gm)
  const all = [...found].map(([, name = '', value]) => [name, Number(value)] as const)
  return Object.fromEntries(all.filter(([name]) => name.startsWith(start)).map(([name, value]) => [name.slice(start.length), value]))
}

test('a pool shows its clusters by state, and its names', async () => {
  world = await PoolWorld.started()
  await world.createPool({ size: 2, runningCount: 1, inventory: world.inventory('a', 'b', 'c', 'd') })
  await world.seconds(200)
  await world.claim('mine')
  await world.seconds(1)
  expect(await series('hive_clusterpool_clusterdeployments_')).toEqual({
    assignable: 0,
    claimed: 1,
    deleting: 0,
    installing: 1,
    unclaimed: 2,
    standby: 1,
    stale: 0,
    broken: 0,
  })
  expect(await series('aviary_pool_inventory_')).toEqual({ total: 4, free: 1, reserved: 3, broken: 0 })
  expect(await series('aviary_pool_claims_')).toEqual({ waiting: 0 })
})

test('names are shown as they are now, not as they were when the pool was looked at before', async () => {
  world = await PoolWorld.started()
  await world.createPool({ size: 1, inventory: world.inventory('a', 'b') })
  await world.seconds(200)
  for (const names of [
    ['a', 'b', 'c'],
    ['a', 'b'],
  ]) {
    await world.changePool({ inventory: world.inventory(...names) })
    await world.settle()
    expect(await series('aviary_pool_inventory_')).toEqual({ total: names.length, free: names.length - 1, reserved: 1, broken: 0 })
  }
})

test('how long the oldest claim has been waiting grows though nothing happens', async () => {
  world = await PoolWorld.started()
  await world.createPool({ size: 0, maxSize: 0 })
  await world.claim('first')
  await world.seconds(300)
  await world.claim('second')
  await world.seconds(300)
  expect(await series('aviary_pool_claims_')).toEqual({ waiting: 2 })
  expect((await series('aviary_pool_oldest_claim_'))['seconds']).toBeGreaterThan(560)
})

test('what was said of an inventory goes with it, and all of it with the pool', async () => {
  world = await PoolWorld.started({ failEvery: 1 })
  await world.createPool({ size: 1, installAttemptsLimit: 1, inventory: world.inventory('a') })
  await world.seconds(100)
  expect(findCondition(await world.pool(), 'InventoryValid')).toMatchObject({ status: 'False', reason: 'Invalid' })
  expect(await series('aviary_pool_inventory_')).toMatchObject({ broken: 1 })
  await world.changePool({ size: 0, inventory: undefined })
  await world.seconds(200)
  expect(findCondition(await world.pool(), 'InventoryValid')).toMatchObject({ status: 'Unknown', reason: 'Initialized' })
  expect(await series('aviary_pool_inventory_')).toEqual({})
  await world.delete(ClusterPool, await world.pool())
  await world.seconds(10)
  expect(await series('hive_clusterpool_clusterdeployments_')).toEqual({})
})

test('installations that are given up are counted once, by pool and reason', async () => {
  world = await PoolWorld.started({ failEvery: 1 })
  await world.createPool({ size: 1, installAttemptsLimit: 2, inventory: world.inventory('a'), quarantine: '100h' })
  await world.seconds(1_000)
  expect(await world.metrics.text()).toContain(
    'hive_cluster_deployments_provision_failed_terminal_total{clusterpool_namespacedname="team/pool",failure_reason="SimulatedFailure"} 1\n',
  )
})
