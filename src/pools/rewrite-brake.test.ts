import { describe, expect, test } from 'vitest'
import { seededChance } from '../ports/index.ts'
import { ClusterClaim, ClusterDeployment, ClusterPool } from '../kinds/index.ts'
import type { Kind } from '../kinds/index.ts'
import type { Store } from '../store/index.ts'
import { RewriteBrake } from './rewrite-brake.ts'
import { PoolWorld } from './testing/pool-world.ts'

describe('the brake', () => {
  const chance = seededChance(1)
  test('lets through what is new, and what is there already', () => {
    const brake = new RewriteBrake()
    for (let n = 0; n < 100; n++) expect(brake.heldUntil('a', 'other', `${n}`, { now: 0, chance })).toBeUndefined()
    for (let n = 0; n < 100; n++) expect(brake.heldUntil('a', 'same', 'same', { now: 0, chance })).toBeUndefined()
  })

  test('holds back what is said again and again, longer each time, and one object does not hold back another', () => {
    const brake = new RewriteBrake()
    let [now, writes] = [0, 0]
    while (now < 3_600_000) {
      const until = brake.heldUntil('a', 'other', 'mine', { now, chance })
      if (until === undefined) writes++
      now = until ?? now + 1
      if (writes > 1_000) break
    }
    expect(writes).toBeLessThan(120)
    expect(brake.heldUntil('b', 'other', 'mine', { now, chance })).toBeUndefined()
  })

  test('forgets what is gone', () => {
    const brake = new RewriteBrake()
    const ask = () => brake.heldUntil('a', 'other', 'mine', { now: 0, chance })
    for (let n = 0; n < 5; n++) ask()
    expect(ask()).toBeGreaterThan(0)
    brake.forget('a')
    expect(ask()).toBeUndefined()
  })
})

/** A store on which news of clusters stop coming after a while. */
function deaf(store: Store, isDeaf: () => boolean): Store {
  return {
    get: (kind, key) => store.get(kind, key),
    list: (kind, options) => store.list(kind, options),
    async *watch(kind, options) {
      for await (const batch of store.watch(kind, options)) if ((kind as Kind) !== (ClusterDeployment as Kind) || !isDeaf()) yield batch
    },
    close: () => store.close(),
    create: (kind, draft, options) => store.create(kind, draft, options),
    update: (kind, object, options) => store.update(kind, object, options),
    delete: (kind, key, options) => store.delete(kind, key, options),
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
  await world.seconds(1_800)
  expect(written.pools - before.pools).toBeLessThan(120)
  expect(written.claims - before.claims).toBeLessThan(120)
  expect(await world.names()).toEqual(['a', 'b', 'c'])
  await world.stop()
})
