import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededChance } from '../ports/index.ts'
import { ClusterClaim, ClusterDeployment, ClusterDeploymentCustomization, ClusterPool, Namespace } from '../kinds/index.ts'
import type { Draft, Kind, Resource } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import { conflict, type Store, StoreError } from '../store/index.ts'
import { isReserved } from './pool/customization.ts'
import { passThrough } from './testing/pass-through.ts'
import { home, PoolWorld } from './testing/pool-world.ts'

/** Some writes of a replica are refused, lost on the way there, or done with the answer lost; and it hears of changes late. */
function unreliable(
  store: Store,
  chance: ReturnType<typeof seededChance>,
  rate: () => number,
  lag: () => Promise<void> = () => Promise.resolve(),
): Store {
  const away = () => new StoreError('ServiceUnavailable', 'the server is away')
  const guard = async <T>(kind: Kind, name: string | undefined, work: () => Promise<T>): Promise<T> => {
    if (chance.fraction() >= rate()) return work()
    const fate = chance.integer(0, 3)
    if (fate === 0) throw conflict(kind, name ?? '')
    if (fate === 1) throw away()
    await work()
    throw away()
  }
  return {
    ...passThrough(store),
    async *watch(kind, options) {
      // Replicas hear of changes late, and of changes of different kinds in any order.
      for await (const batch of store.watch(kind, options)) {
        await lag()
        yield batch
      }
    },
    create: <R extends Resource>(kind: Kind<R>, draft: Draft<R>) => guard(kind, draft.metadata.name, () => store.create(kind, draft)),
    update: (kind, object, options) => guard(kind, object.metadata.name, () => store.update(kind, object, options)),
    delete: (kind, key, options) => guard(kind, key.name, () => store.delete(kind, key, options)),
  } satisfies Store
}

const names = ['a', 'b', 'c', 'd', 'e']
const maxSize = 4

async function invariants(world: PoolWorld): Promise<void> {
  const clusters = await world.clusters()
  const hosts = clusters.map(({ spec }) => spec.clusterName)
  expect(new Set(hosts).size, `two clusters with one name: ${hosts.join(', ')}`).toBe(hosts.length)
  const inWorld = world.installer.clusters.map(({ host }) => host)
  expect(new Set(inWorld).size, 'two clusters in the world with one name').toBe(inWorld.length)
  expect(clusters.length, 'more clusters than the maximum').toBeLessThanOrEqual(maxSize)
  const claimed = clusters.flatMap(({ spec }) => spec.clusterPoolRef?.claimName ?? [])
  expect(new Set(claimed).size, 'a claim with two clusters').toBe(claimed.length)
  const given = (await world.all(ClusterClaim)).filter(claim => findCondition(claim, 'Pending')?.reason === 'ClusterClaimed')
  const namespaces = given.map(({ spec }) => spec.namespace)
  expect(new Set(namespaces).size, 'a cluster with two claims').toBe(namespaces.length)
}

/** The ledger has an entry for each cluster that is there, and no other; and each name of the inventory is in it. */
async function ledgerIsRight(world: PoolWorld, hasInventory: boolean): Promise<void> {
  const { clusterNameUsage = {}, reserved = [] } = (await world.pool()).status ?? {}
  const known = [...Object.values(clusterNameUsage).filter(namespace => namespace !== null), ...reserved]
  const there = (await world.clusters()).map(({ metadata }) => metadata.name)
  expect(known.toSorted(), 'the ledger knows exactly the clusters that are there').toEqual(there.toSorted())
  if (hasInventory) expect(Object.keys(clusterNameUsage).toSorted(), 'no name is lost').toEqual(names)
}

/** Where clusters have their names from. */
const inventories = ['none', 'named', 'customized', 'twins', 'patched'] as const
type Inventory = (typeof inventories)[number]

/** What the customizations of an inventory call their clusters, if anything. */
const nameGiven: Readonly<Record<Exclude<Inventory, 'none' | 'named'>, (name: string) => string | undefined>> = {
  customized: name => (name < 'c' ? `host-${name}` : undefined),
  // Two customizations name one host, and a third names the entry of another.
  twins: name => ({ a: 'host', b: 'host', c: 'd' })[name],
  // Entries that are called like their clusters, and whose patches say the same, or something else.
  patched: name => (name < 'c' ? name : name === 'c' ? 'elsewhere' : undefined),
}

const isCustomized = (kind: Inventory): kind is keyof typeof nameGiven => Object.hasOwn(nameGiven, kind)

function entryOf(kind: Inventory, name: string) {
  if (!isCustomized(kind) || (kind === 'twins' && name > 'c')) return { name }
  return { name, customizationRef: { name }, ...(kind === 'patched' ? {} : { generateName: true }) }
}

const inventoryOf = (kind: Inventory, list: readonly string[]) => ({ clusterDeployments: list.map(name => entryOf(kind, name)) })

async function makeCustomizations(world: PoolWorld, kind: Inventory): Promise<void> {
  if (!isCustomized(kind)) return
  for (const name of names) {
    const value = nameGiven[kind](name)
    const installConfigPatches = value === undefined ? [] : [{ op: 'replace' as const, path: '/metadata/name', value }]
    await world.store.create(ClusterDeploymentCustomization, { metadata: { name, namespace: home }, spec: { installConfigPatches } })
  }
}

/** Each customization is used by the cluster that it names, and by no other. */
async function customizationsAreRight(world: PoolWorld): Promise<void> {
  const clusters = await world.clusters()
  for (const customization of (await world.all(ClusterDeploymentCustomization)).filter(({ metadata }) => metadata.namespace === home)) {
    const { name } = customization.metadata
    const users = clusters.filter(({ spec }) => spec.clusterPoolRef?.clusterDeploymentCustomization?.name === name)
    expect(users.length, `two clusters with the customization ${name}`).toBeLessThanOrEqual(1)
    expect(isReserved(customization), `${name} says whether it is used`).toBe(users.length === 1)
    expect(customization.status?.clusterDeploymentRef?.name).toBe(users[0]?.metadata.name)
  }
}

async function story(seed: number, kind: Inventory): Promise<void> {
  const hasInventory = kind !== 'none'
  let rate = 0.15
  const chance = seededChance(`faults ${seed}`)
  const world: PoolWorld = await PoolWorld.make({
    seed,
    installSeconds: 20,
    deprovisionSeconds: 5,
    powerSeconds: 5,
    failEvery: 5,
    wrap: store =>
      unreliable(
        store,
        chance,
        () => rate,
        () => world.clock.sleep(rate === 0 ? 5 : chance.integer(1, 3_000)),
      ),
  })
  try {
    await makeCustomizations(world, kind)
    let replicas = [world.start(), world.start()]
    await world.createPool({
      size: 2,
      runningCount: 1,
      maxSize,
      installAttemptsLimit: 1,
      ...(hasInventory ? { inventory: inventoryOf(kind, names) } : {}),
    })
    let claims = 0
    for (let step = 0; step < 25; step++) {
      const act = chance.integer(0, 7)
      if (act === 0) await world.claim(`claim-${claims++}`)
      else if (act === 1) {
        const claim = (await world.all(ClusterClaim)).find(({ metadata }) => metadata.deletionTimestamp === undefined)
        if (claim !== undefined) await world.delete(ClusterClaim, claim)
      } else if (act === 2) await world.changePool({ size: chance.integer(0, 4) })
      else if (act === 3 && hasInventory)
        await world.changePool({
          inventory: inventoryOf(
            kind,
            names.filter(() => chance.fraction() < 0.8),
          ),
        })
      else if (act === 4) {
        const cluster = (await world.clusters()).find(({ metadata }) => metadata.deletionTimestamp === undefined)
        if (cluster !== undefined) await world.delete(ClusterDeployment, cluster)
      } else if (act === 5) {
        // A replica is killed in the middle of whatever it does, and another takes its place.
        const stopping = replicas.shift()!.stop({ within: 0 })
        await world.clock.advance(10_000)
        await stopping
        replicas = [...replicas, world.start()]
      }
      await world.clock.advance(chance.integer(1, 20_000))
      await invariants(world)
    }
    rate = 0
    await world.changePool({ size: 2, ...(hasInventory ? { inventory: inventoryOf(kind, names) } : {}) })
    for (const claim of await world.all(ClusterClaim))
      if (claim.metadata.deletionTimestamp === undefined) await world.delete(ClusterClaim, claim)
    for (let minute = 0; minute < 60; minute++) {
      await world.clock.advance(60_000)
      await invariants(world)
    }
    const clusters = (await world.clusters()).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    expect(clusters.length, 'the pool is filled in the end').toBeGreaterThanOrEqual(2)
    expect(await world.all(ClusterClaim)).toEqual([])
    const claimless = clusters.filter(({ spec }) => spec.clusterPoolRef?.claimName !== undefined)
    expect(claimless, 'no cluster is left claimed by nobody').toEqual([])
    await ledgerIsRight(world, hasInventory)
    if (isCustomized(kind)) await customizationsAreRight(world)
  } finally {
    rate = 0
    await world.stop()
  }
}

test('whatever fails, whoever crashes, several controllers never make two clusters with one name, lose a name, exceed the maximum or give a cluster twice', async () => {
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), fc.constantFrom(...inventories), story), {
    numRuns: 12,
    examples: [
      // A reservation that was no longer wanted used to be made and removed for ever.
      [19, 'customized'],
      [1, 'twins'],
      [2, 'patched'],
    ],
    endOnFailure: true,
  })
}, 120_000)

test('two controllers without an election make exactly as many clusters as the pool wants', async () => {
  const world = await PoolWorld.make({ installSeconds: 0 })
  let created = 0
  const create = world.store.create.bind(world.store)
  world.store.create = async (kind, draft, options) => {
    const made = await create(kind, draft, options)
    if ((kind as Kind) === (ClusterDeployment as Kind)) created++
    return made
  }
  world.start()
  world.start()
  await world.createPool({ size: 50, runningCount: 50 })
  await world.seconds(60)
  expect(created).toBe(50)
  expect(await world.clusters()).toHaveLength(50)
  await world.stop()
})

test('a lost race for the status makes nothing, and the next try does', async () => {
  let refusals = 0
  const world = await PoolWorld.make({
    wrap: store => ({
      ...passThrough(store),
      update: async (kind, object, options) => {
        if ((kind as Kind) === (ClusterPool as Kind) && options?.subresource === 'status' && refusals === 0) {
          refusals++
          // Somebody edits the pool at the same moment: nothing that has to do with names.
          const pool = await world.pool()
          await store.update(ClusterPool, { ...pool, metadata: { ...pool.metadata, labels: { edited: 'yes' } } })
          await expect(store.update(kind, object, options)).rejects.toThrow('modified')
          expect(await world.clusters()).toEqual([])
          expect((await world.all(Namespace)).map(({ metadata }) => metadata.name).toSorted()).toEqual(['default', home])
        }
        return store.update(kind, object, options)
      },
      create: async (kind, draft, options) => {
        // Whatever is made for a cluster, its place was written down before.
        if ((kind as Kind) === (Namespace as Kind)) expect(await world.usage()).toEqual({ foo: draft.metadata.name })
        return store.create(kind, draft, options)
      },
    }),
  })
  world.start()
  await world.createPool({ size: 1, inventory: world.inventory('foo') })
  await world.seconds(5)
  expect(refusals).toBe(1)
  expect(await world.metrics.text()).toMatch(/aviary_pool_reservation_conflicts_total\{[^}]*\} 1/)
  expect(await world.names()).toEqual(['foo'])
  await world.stop()
})

test('a controller that is killed after some of the clusters were made completes exactly the rest', async () => {
  let left = 3
  const world = await PoolWorld.make({
    wrap: store => ({
      ...passThrough(store),
      create: async (kind, draft, options) => {
        if ((kind as Kind) === (ClusterDeployment as Kind) && left-- <= 0) throw new StoreError('ServiceUnavailable', 'killed')
        return store.create(kind, draft, options)
      },
    }),
  })
  const first = world.start()
  await world.createPool({ size: 8, inventory: world.inventory('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h') })
  await world.clock.advance(50)
  const stopping = first.stop({ within: 0 })
  await world.clock.advance(5_000)
  await stopping
  expect((await world.clusters()).length).toBe(3)
  left = Number.POSITIVE_INFINITY
  world.start()
  await world.seconds(60)
  expect(await world.names()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
  await world.stop()
})
