import { expect, test } from 'vitest'
import { Event, Lease, Nest } from '../../../src/kinds/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { workshop } from './aviary-process.ts'

/** Somewhere to keep objects: a Kubernetes API that serves Nest. */
export interface ClusterUnderTest {
  readonly kubeconfig: string
  stop(): Promise<unknown>
}

const eggs = [1, 2, 3, 4, 5, 6]

/** What must hold when the leader of several replicas fails, wherever the objects live. */
export function failoverSuite(name: string, startCluster: () => Promise<ClusterUnderTest>): void {
  test(`${name}: a leader that is killed is replaced within 20 s, and no egg hatches twice or is left out`, async () => {
    await using scene = await brooding(startCluster)
    const { store, leader, other, hatched } = scene
    await leader.kill('SIGKILL')
    await expect.poll(async () => (await lease(store)).term, { timeout: 20_000, interval: 100 }).toBe(2)
    await expect.poll(async () => (await hatchings(store)).length, { timeout: 60_000 }).toBe(eggs.length)
    expect(hatched).toEqual([0, ...eggs])
    expect((await hatchings(store)).map(({ egg, times }) => [egg, times])).toEqual(eggs.map(egg => [egg, 1]))
    expect((await other.kill('SIGTERM')).code).toBe(0)
  })

  test(`${name}: a leader that was stopped and goes on when another leads does nothing more`, async () => {
    await using scene = await brooding(startCluster)
    const { store, leader, hatched } = scene
    const before = (await lease(store)).holder
    leader.pause()
    await expect.poll(async () => (await lease(store)).term, { timeout: 30_000, interval: 50 }).toBe(2)
    // At once, so that both of them find the next egg due.
    leader.resume()
    await expect.poll(async () => (await hatchings(store)).length, { timeout: 60_000 }).toBe(eggs.length)
    const after = await lease(store)
    expect(after.term).toBe(2)
    expect(after.holder).not.toBe(before)
    expect(hatched).toEqual([0, ...eggs])
    expect(await hatchings(store)).toEqual(eggs.map(egg => ({ egg, times: 1, by: egg <= 2 ? before : after.holder })))
    expect((await leader.kill('SIGTERM')).code).toBe(0)
  })
}

/** Two replicas, one of which leads, and a nest whose first two eggs have hatched and were told of. */
async function brooding(startCluster: () => Promise<ClusterUnderTest>) {
  await using opened = new AsyncDisposableStack()
  const shop = opened.use(await workshop())
  const cluster = await startCluster()
  opened.defer(async () => void (await cluster.stop()))
  const store = await shop.store(cluster.kubeconfig)
  const replica = (id: string) => shop.start(id, replicaConfig(id, cluster.kubeconfig))

  const leader = await replica('first')
  await leader.ready
  await expect.poll(async () => (await lease(store)).term, { timeout: 30_000 }).toBe(1)
  const other = await replica('second')
  await other.ready

  const hatched = follow(store, opened)
  await store.create(Nest, { metadata: { namespace: 'default', name: 'heron' }, spec: { eggs: eggs.length, incubation: '2s' } })
  await expect.poll(async () => (await hatchings(store)).length, { timeout: 30_000 }).toBe(2)
  const held = opened.move()
  return { store, leader, other, hatched, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

function replicaConfig(id: string, kubeconfig: string): string {
  return `
    [server]
    listen = "127.0.0.1:0"
    dataDir = "${id}"
    [engine]
    kind = "kubernetes"
    kubeconfig = "${kubeconfig}"
    [demo]
    enabled = true
    pace = "1s"`
}

/** Who leads, and how many have led so far. */
async function lease(store: Store): Promise<{ readonly term: number; readonly holder: string | undefined }> {
  const found = await store.get(Lease, { namespace: 'default', name: 'aviary' }).catch(() => undefined)
  return { term: found?.spec.leaseTransitions ?? 0, holder: found?.spec.holderIdentity }
}

/** What was told of eggs that hatched: which, how often, and by which replica. */
async function hatchings(
  store: Store,
): Promise<readonly { readonly egg: number; readonly times: number; readonly by: string | undefined }[]> {
  const { items } = await store.list(Event, { namespace: 'default' })
  return items
    .map(({ object }) => object)
    .filter(({ reason, involvedObject }) => reason === 'Hatched' && involvedObject.name === 'heron')
    .map(({ message = '', count = 0, reportingInstance }) => ({
      egg: Number(/^egg (\d+) of/.exec(message)?.[1]),
      times: count,
      by: reportingInstance,
    }))
    .toSorted((a, b) => a.egg - b.egg)
}

/** The numbers of hatched eggs that the nest shows, one after the other, for as long as it is watched. */
function follow(store: Store, stack: AsyncDisposableStack): readonly number[] {
  const ending = new AbortController()
  const values: number[] = []
  const following = (async () => {
    for await (const batch of store.watch(Nest, { fieldSelector: 'metadata.name=heron', initialEvents: true, signal: ending.signal })) {
      for (const event of batch) {
        const hatched = event.type === 'BOOKMARK' ? undefined : event.item.object.status?.hatched
        // Other parts of the status change between two eggs; that each hatches once is told by the Events.
        if (hatched !== undefined && hatched !== values.at(-1)) values.push(hatched)
      }
    }
  })()
  stack.defer(async () => {
    ending.abort()
    await following.catch(() => undefined)
  })
  return values
}
