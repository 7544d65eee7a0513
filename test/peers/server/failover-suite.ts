import { expect, test } from 'vitest'
import { Lease, Nest } from '../../../src/kinds/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { workshop } from './aviary-process.ts'

/** Somewhere to keep objects: a Kubernetes API that serves Nest. */
export interface ClusterUnderTest {
  readonly kubeconfig: string
  stop(): Promise<unknown>
}

/** What must hold when the leader of several replicas is killed, wherever the objects live. */
export function failoverSuite(name: string, startCluster: () => Promise<ClusterUnderTest>): void {
  test(`${name}: a leader that is killed is replaced within 20 s, and no egg hatches twice or is left out`, async () => {
    await using shop = await workshop()
    await using stack = new AsyncDisposableStack()
    const cluster = await startCluster()
    stack.defer(async () => void (await cluster.stop()))
    const store = await shop.store(cluster.kubeconfig)
    const replica = (id: string) => shop.start(id, replicaConfig(id, cluster.kubeconfig))

    const first = await replica('first')
    await first.ready
    await expect.poll(() => term(store), { timeout: 30_000 }).toBe(1)
    const second = await replica('second')
    await second.ready

    const hatchedValues = follow(store, stack)
    await store.create(Nest, { metadata: { namespace: 'default', name: 'heron' }, spec: { eggs: 6, incubation: '2s' } })
    await expect.poll(() => hatchedValues.at(-1), { timeout: 30_000 }).toBe(2)
    await first.kill('SIGKILL')
    await expect.poll(() => term(store), { timeout: 20_000, interval: 100 }).toBe(2)
    await expect.poll(() => hatchedValues.at(-1), { timeout: 60_000 }).toBe(6)
    expect(hatchedValues).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect((await second.kill('SIGTERM')).code).toBe(0)
  })
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

async function term(store: Store): Promise<number> {
  const lease = await store.get(Lease, { namespace: 'default', name: 'aviary' }).catch(() => undefined)
  return lease?.spec.leaseTransitions ?? 0
}

/** Every number of hatched eggs that the nest ever shows, each as often as it was written anew. */
function follow(store: Store, stack: AsyncDisposableStack): readonly number[] {
  const ending = new AbortController()
  const values: number[] = []
  const following = (async () => {
    for await (const batch of store.watch(Nest, { fieldSelector: 'metadata.name=heron', initialEvents: true, signal: ending.signal })) {
      for (const event of batch) {
        const hatched = event.type === 'BOOKMARK' ? undefined : event.item.object.status?.hatched
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
