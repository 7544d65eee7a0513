import { afterEach, expect, test } from 'vitest'
import { ClusterClaim, ClusterDeployment, Namespace } from '../../kinds/index.ts'
import type { Kind } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'
import { type Store, StoreError } from '../../store/index.ts'
import { passThrough } from '../testing/pass-through.ts'
import { PoolWorld } from '../testing/pool-world.ts'

let world: PoolWorld
afterEach(() => world.stop())

/** A store that does something before certain writes. */
function before(store: Store, kind: Kind, operation: 'create' | 'update', act: () => Promise<void>): Store {
  const maybe = async (written: Kind, made: string) => (written === kind && made === operation ? act() : undefined)
  return {
    ...passThrough(store),
    create: async (each, draft, options) => {
      await maybe(each, 'create')
      return store.create(each, draft, options)
    },
    update: async (each, object, options) => {
      await maybe(each, 'update')
      return store.update(each, object, options)
    },
  }
}

test('a claim does not wait for a cluster that is there until others have been made', async () => {
  let isSlow = false
  world = await PoolWorld.make({
    wrap: store => before(store, Namespace, 'create', async () => (isSlow ? world.clock.sleep(20_000) : undefined)),
  })
  world.start()
  await world.createPool({ size: 2, runningCount: 2 })
  await world.seconds(200)
  isSlow = true
  await world.claim('first')
  await world.seconds(1)
  // The place of the first is being filled now, which takes its time.
  await world.claim('second')
  await world.settle()
  expect((await world.getClaim('second')).spec.namespace).toBeDefined()
  expect(findCondition(await world.getClaim('second'), 'Pending')).toMatchObject({ status: 'False', reason: 'ClusterClaimed' })
  expect(await world.clusters()).toHaveLength(2)
})

test('a claim whose cluster was removed at the same moment is told, and gets another', async () => {
  let isTold = false
  world = await PoolWorld.make({
    deprovisionSeconds: 60,
    wrap: store =>
      before(store, ClusterClaim, 'update', async () => {
        if (isTold) return
        isTold = true
        // Somebody deletes the oldest, which the claim is about to be given.
        const [oldest] = (await world.clusters()).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
        await world.delete(ClusterDeployment, oldest)
      }),
  })
  world.start()
  await world.createPool({ size: 2, runningCount: 2 })
  await world.seconds(200)
  await world.claim('mine')
  await world.seconds(30)
  const { namespace } = (await world.getClaim('mine')).spec
  const cluster = (await world.clusters()).find(({ metadata }) => metadata.namespace === namespace)
  expect(cluster?.metadata.deletionTimestamp).toBeUndefined()
  expect(cluster?.spec.clusterPoolRef?.claimName).toBe('mine')
  expect(isTold).toBe(true)
})

test.each([
  ['at the very moment at which it gets its cluster', 0],
  ['after a crash that has left its cluster to be written to', 1],
])('a claim that is deleted %s leaves no cluster behind that nobody has', async (_, crashes) => {
  let left = crashes
  let isDeleted = false
  world = await PoolWorld.make({
    wrap: store => ({
      ...passThrough(store),
      update: async (kind, object, options) => {
        const { clusterPoolRef } = (object as unknown as Partial<ClusterDeployment>).spec ?? {}
        if (clusterPoolRef?.claimName === 'mine' && !isDeleted) {
          if (left-- > 0) throw new StoreError('ServiceUnavailable', 'killed')
          isDeleted = true
          await world.delete(ClusterClaim, await world.getClaim('mine'))
          await world.clock.sleep(200)
        }
        return store.update(kind, object, options)
      },
    }),
  })
  world.start()
  await world.createPool({ size: 1, runningCount: 1, maxSize: 1 })
  await world.seconds(200)
  await world.claim('mine')
  await world.seconds(600)
  expect(isDeleted).toBe(true)
  await expect(world.getClaim('mine')).rejects.toThrow('not found')
  expect((await world.clusters()).map(({ spec }) => spec.clusterPoolRef?.claimName)).toEqual([undefined])
})
