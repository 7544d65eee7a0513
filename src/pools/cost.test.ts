import { afterEach, expect, test } from 'vitest'
import type { Kind } from '../kinds/index.ts'
import { PoolWorld } from './testing/pool-world.ts'

// What a change costs, in calls of the store: the same whatever else there is.

let world: PoolWorld
afterEach(() => world.stop())

/** Notes every call from now on. */
function note(): string[] {
  const calls: string[] = []
  for (const operation of ['get', 'list', 'create', 'update', 'delete'] as const) {
    const original = world.store[operation].bind(world.store) as (...args: unknown[]) => Promise<unknown>
    world.store[operation] = ((...args: unknown[]) => {
      const [kind, , options] = args as [Kind, unknown, { readonly subresource?: string } | undefined]
      if (!['Event', 'Lease'].includes(kind.name))
        calls.push(`${operation} ${kind.name}${options?.subresource === 'status' ? ' status' : ''}`)
      return original(...args)
    }) as never
  }
  return calls
}

/** The calls by which a claim is served and its place filled again, in a world with so many pools beside. */
async function served(pools: number): Promise<readonly string[]> {
  world = await PoolWorld.make({ installSeconds: 0, powerSeconds: 0 })
  world.start()
  for (let index = 0; index < pools; index++) await world.createPool({ size: 2, runningCount: 2 }, `other-${index}`)
  await world.createPool({ size: 2, runningCount: 2 })
  await world.seconds(30)
  const calls = note()
  await world.claim('mine')
  await world.seconds(30)
  expect((await world.getClaim('mine')).spec.namespace).toBeDefined()
  const made = calls.filter(call => call !== 'get ClusterClaim')
  await world.stop()
  return made.toSorted()
}

test('a claim costs the same among many pools as alone, and nothing is listed for it', async () => {
  const alone = await served(0)
  expect(await served(25)).toEqual(alone)
  expect(alone.filter(call => call.startsWith('list'))).toEqual([])
})

test('a claim that can be served at once is written to twice: it is given its cluster, and told so', async () => {
  world = await PoolWorld.make({ installSeconds: 0, powerSeconds: 0 })
  world.start()
  await world.createPool({ size: 2, runningCount: 2 })
  await world.seconds(30)
  const calls = note()
  await world.claim('mine')
  await world.seconds(30)
  expect(calls.filter(call => call.startsWith('update ClusterClaim'))).toEqual(['update ClusterClaim', 'update ClusterClaim status'])
})

test('a settled pool is neither read nor written', async () => {
  world = await PoolWorld.make()
  world.start()
  await world.createPool({ size: 3, runningCount: 2, inventory: world.inventory('a', 'b', 'c', 'd') })
  await world.claim('mine')
  await world.seconds(1_000)
  const calls = note()
  await world.seconds(600)
  expect(calls).toEqual([])
})

test('between a claim and its assignment nothing is asked and nothing else is written', async () => {
  world = await PoolWorld.make({ installSeconds: 0, powerSeconds: 0 })
  world.start()
  await world.createPool({ size: 2, runningCount: 2, inventory: world.inventory('a', 'b', 'c') })
  await world.seconds(30)
  const calls = note()
  await world.claim('mine')
  await world.seconds(30)
  expect(calls.slice(0, 2)).toEqual(['create ClusterClaim', 'update ClusterClaim'])
})
