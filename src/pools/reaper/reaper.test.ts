import { afterEach, describe, expect, test } from 'vitest'
import { ClusterDeployment, Namespace } from '../../kinds/index.ts'
import { namespacePoolLabel } from '../names.ts'
import { clusterByHand, type Traits } from '../testing/cluster-by-hand.ts'
import { PoolWorld } from '../testing/pool-world.ts'

// The rows of the specification's tables of namespaces (hive-clusterpool §4.5).

let world: PoolWorld
afterEach(() => world.stop())

const minute = 60
const installed: Traits = { state: 'installed', version: 'x', held: true }

interface Row {
  readonly name: string
  readonly pool?: boolean
  readonly clusters?: readonly Traits[]
  readonly label?: boolean
  readonly minutesOld?: number
  readonly isDeleted: boolean
  /** Clusters that are not being deleted afterwards. */
  readonly living?: number
}

/** The world of a row: clusters in one namespace, and that namespace so many minutes old. */
async function lay({ pool = false, clusters = [], label = true, minutesOld = 10 }: Omit<Row, 'name' | 'isDeleted'>): Promise<string> {
  // Claims are nobody's business here, so that only the reaper acts.
  world = await PoolWorld.make({ only: 'reaper' })
  if (pool) await world.createPool({ size: 0 })
  const namespace = 'test-namespace'
  await world.store.create(Namespace, { metadata: { name: namespace, ...(label ? { labels: { [namespacePoolLabel]: 'pool' } } : {}) } })
  for (const [index, traits] of clusters.entries()) await clusterByHand(world, `c${index}`, traits, namespace)
  await world.seconds(minutesOld * minute)
  world.start()
  await world.settle()
  return namespace
}

const isGone = async (name: string) =>
  world.store.get(Namespace, { name }).then(
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
    () => true,
  )
const living = async () => (await world.clusters()).filter(({ metadata }) => metadata.deletionTimestamp === undefined).length

describe('a namespace', () => {
  test.each<Row>([
    { name: 'no clusterdeployments', isDeleted: true },
    { name: 'non-deleted clusterdeployment', clusters: [{ ...installed, pool: undefined }], isDeleted: false, living: 1 },
    {
      name: 'non-deleted clusterdeployment with existing pool',
      pool: true,
      clusters: [{ ...installed, claim: 'x' }],
      isDeleted: false,
      living: 1,
    },
    {
      name: 'non-deleted clusterdeployment with existing pool 2',
      pool: true,
      clusters: [{ ...installed, marked: true }, installed],
      isDeleted: false,
      living: 2,
    },
    {
      name: 'non-deleted clusterdeployment with no pool',
      clusters: [{ ...installed, marked: true }, installed],
      isDeleted: false,
      living: 1,
    },
    { name: 'deleted clusterdeployment', pool: true, clusters: [{ ...installed, deleted: true }], isDeleted: false, living: 0 },
    {
      name: 'deleted clusterdeployment with no pool',
      clusters: [
        { ...installed, deleted: true },
        { ...installed, deleted: true, marked: true },
      ],
      isDeleted: false,
      living: 0,
    },
    {
      name: 'deleted and non-deleted clusterdeployments',
      pool: true,
      clusters: [{ ...installed, deleted: true }, installed],
      isDeleted: false,
      living: 1,
    },
    { name: 'namespace without clusterpool label', label: false, isDeleted: false },
  ])('$name', async row => {
    const namespace = await lay(row)
    expect(await isGone(namespace)).toBe(row.isDeleted)
    expect(await living()).toBe(row.living ?? 0)
  })

  test('namespace too young: it goes when it is five minutes old', async () => {
    const namespace = await lay({ minutesOld: 1 })
    expect(await isGone(namespace)).toBe(false)
    await world.seconds(3 * minute + 50)
    expect(await isGone(namespace)).toBe(false)
    await world.seconds(15)
    expect(await isGone(namespace)).toBe(true)
  })

  test('deleted namespace: one that is on its way out is left alone', async () => {
    const namespace = await lay({ minutesOld: 0, clusters: [installed] })
    await world.store.delete(Namespace, { name: namespace })
    await world.seconds(10 * minute)
    expect(await living()).toBe(1)
  })

  test('goes when the last of its clusters has', async () => {
    const namespace = await lay({ pool: true, clusters: [{ ...installed, deleted: true }] })
    const [cluster] = await world.clusters()
    await world.edit(ClusterDeployment, cluster!, object => ({ ...object, metadata: { ...object.metadata, finalizers: [] } }))
    await world.settle()
    expect(await isGone(namespace)).toBe(true)
  })
})

describe('clusters whose pool is gone', () => {
  const marked: Traits = { ...installed, marked: true }
  const deleted: Traits = { ...installed, deleted: true }
  test.each<[string, boolean, readonly Traits[], number]>([
    [
      'no cleanup as clusterdeployment not for pool',
      false,
      [
        { ...installed, pool: undefined },
        { ...installed, pool: undefined },
      ],
      2,
    ],
    ['no cleanup as cluster pool exists', true, [installed, installed], 2],
    ['no cleanup as cluster pool exists with marked for removal clusters', true, [marked, installed], 2],
    ['no cleanup as all clusters already deleted', false, [deleted, deleted], 0],
    ['no cleanup as no clusters marked for removal', false, [installed, installed], 2],
    ['no cleanup as clusters marked for removal already deleted', false, [{ ...marked, deleted: true }, installed], 1],
    ['some cleanup', false, [marked, installed], 1],
    ['some cleanup 2', false, [marked, { ...marked, deleted: true }], 0],
    ['some cleanup 3', false, [marked, marked, installed, { ...marked, deleted: true }], 1],
    ['one that was never begun goes, too', false, [{ state: 'installing', version: 'x', held: true }, installed], 1],
  ])('%s', async (_, pool, clusters, left) => {
    await lay({ pool, clusters })
    expect(await living()).toBe(left)
  })
})
