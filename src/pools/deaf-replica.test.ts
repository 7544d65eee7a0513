import { expect, test } from 'vitest'
import { ClusterClaim, ClusterDeployment, ClusterPool } from '../kinds/index.ts'
import type { Kind } from '../kinds/index.ts'
import type { Store } from '../store/index.ts'
import { passThrough } from './testing/pass-through.ts'
import { PoolWorld } from './testing/pool-world.ts'

/** A store on which news of clusters stop coming after a while. */
function deaf(store: Store, isDeaf: () => boolean): Store {
  return {
    ...passThrough(store),
    async *watch(kind, options) {
      for await (const batch of store.watch(kind, options)) if ((kind as Kind) !== (ClusterDeployment as Kind) || !isDeaf()) yield batch
    },
  }
}

test('two replicas of which one hears nothing of clusters do not overwrite each other’s counts without a brake', async () => {
  let replicas = 0
  let isDeaf = false
  const world = await PoolWorld.make({
    installSeconds: 20,
    wrap: store => (replicas++ === 0 ? store : deaf(store, () => isDeaf)),
  })
  const written = { pools: 0, claims: 0 }
  const update = world.store.update.bind(world.store)
  world.store.update = async (kind, object, options) => {
    if ((kind as Kind) === (ClusterPool as Kind)) written.pools++
    if ((kind as Kind) === (ClusterClaim as Kind)) written.claims++
    return update(kind, object, options)
  }
  world.start()
  world.start()
  await world.createPool({ size: 2, runningCount: 2, inventory: world.inventory('a', 'b', 'c') })
  await world.seconds(2)
  isDeaf = true
  await world.changePool({ size: 3, maxSize: 3 })
  await world.seconds(120)
  for (const name of ['w', 'x', 'y', 'z']) await world.claim(name)
  await world.seconds(60)
  const before = { ...written }
  const uids = async () => (await world.clusters()).map(({ metadata }) => metadata.uid)
  const there = await uids()
  await world.seconds(1_800)
  expect(written.pools - before.pools).toBeLessThan(120)
  expect(written.claims - before.claims).toBeLessThan(120)
  // Above all it removes nothing because it does not know of it.
  expect(await uids()).toEqual(there)
  expect(await world.names()).toEqual(['a', 'b', 'c'])
  await world.stop()
})
