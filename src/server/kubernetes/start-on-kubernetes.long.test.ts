import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fastify } from 'fastify'
import { describe, expect, test } from 'vitest'
import { httpClient, realClock } from '../../ports/index.ts'
import { AccessToken, Lease, Nest } from '../../kinds/index.ts'
import type { Aviary } from '../start-aviary.ts'
import { loopback } from '../testing/aviary-on-loopback.ts'
import type { Loopback } from '../testing/aviary-on-loopback.ts'

/** The configuration of one replica. Its cluster is a server of our own, which speaks the same API. */
function replica(name: string, kubeconfig: string, demo = true): string {
  return `
    [server]
    listen = "127.0.0.1:0"
    dataDir = "${name}"
    [engine]
    kind = "kubernetes"
    kubeconfig = "${kubeconfig}"
    [engine.leaderElection]
    leaseDuration = "3s"
    renewDeadline = "2s"
    retryPeriod = "100ms"
    [demo]
    enabled = ${demo}
    pace = "1s"`
}

async function get(world: Loopback, { url }: Aviary, folder: string, path: string) {
  const authority = await readFile(join(world.folder, folder, 'tls/authority.pem'), 'utf8')
  const http = httpClient({ clock: realClock(), trust: { ca: authority.slice(authority.indexOf('-----BEGIN CERT')) } })
  world.later(() => http.close())
  return await http.send({ method: 'GET', url: `${url}${path}` })
}

describe('the program on the kubernetes engine', () => {
  test('leads, works, serves health and metrics, and hands over to another replica when it stops', async () => {
    await using world = await loopback()
    const cluster = await world.start()
    const store = await world.store(cluster)
    const holder = async () => (await store.get(Lease, { namespace: 'default', name: 'aviary' })).spec.holderIdentity

    const first = await world.start(replica('first', cluster.kubeconfig!))
    await expect
      .poll(async () => (await store.list(Nest)).items.map(({ object }) => object.status?.phase), { timeout: 10_000 })
      .toContain('Building')
    const leader = await holder()
    const second = await world.start(replica('second', cluster.kubeconfig!))
    expect(first.kubeconfig).toBeUndefined()
    expect((await get(world, first, 'first', '/readyz')).text()).toBe('ok')
    expect((await get(world, first, 'first', '/metrics')).text()).toMatch(/^aviary_leader 1$/m)
    expect((await get(world, second, 'second', '/metrics')).text()).toMatch(/^aviary_leader 0$/m)
    expect((await get(world, second, 'second', '/api/v1/namespaces')).status).toBe(404)

    await first.stop()
    await expect.poll(holder, { timeout: 10_000 }).not.toBe(leader)
    await expect
      .poll(async () => (await get(world, second, 'second', '/metrics')).text(), { timeout: 10_000 })
      .toMatch(/^aviary_leader 1$/m)
    await store.create(Nest, { metadata: { namespace: 'default', name: 'mine' }, spec: { eggs: 0 } })
    await expect
      .poll(async () => (await store.get(Nest, { namespace: 'default', name: 'mine' })).status?.phase, { timeout: 10_000 })
      .toBe('Hatched')
  })
})

test('a leader that has nothing to do asks the cluster for nothing but its lease', async () => {
  await using world = await loopback()
  const cluster = await world.start()
  const work = '[pools.installer]\nkind = "simulated"'
  const leader = await world.start(`${replica('first', cluster.kubeconfig!, false)}\n${work}`)
  await expect.poll(async () => (await get(world, leader, 'first', '/metrics')).text(), { timeout: 10_000 }).toMatch(/^aviary_leader 1$/m)

  /** How many requests the cluster has had, by verb and resource; those for what is no resource are our own. */
  const requests = async () => {
    const lines = (await world.send(cluster, '/metrics')).text().matchAll(/^aviary_api_requests_total\{(.*resource="[^"]+".*)\} (\d+)$/gm)
    return new Map(Array.from(lines, ([, labels = '', count]) => [labels, Number(count)]))
  }
  const renewals = async () => Array.from(await requests(), ([labels, count]) => (labels.includes('resource="leases') ? count : 0))
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const afterRenewals = async (count: number) => {
    const start = sum(await renewals())
    await expect.poll(async () => sum(await renewals()), { timeout: 20_000 }).toBeGreaterThanOrEqual(start + count)
    return await requests()
  }
  const before = await afterRenewals(10)
  const after = await afterRenewals(20)
  const asked = [...after]
    .filter(([labels, count]) => count !== before.get(labels))
    .map(([labels]) => /resource="([^"]+)"/.exec(labels)?.[1])
  expect(new Set(asked)).toEqual(new Set(['leases.coordination.k8s.io']))
}, 40_000)

test('a replica whose cluster no longer answers is alive but not ready, and says why', async () => {
  await using world = await loopback()
  const cluster = await world.start()
  const first = await world.start(replica('first', cluster.kubeconfig!))
  await expect.poll(async () => (await get(world, first, 'first', '/readyz')).status, { timeout: 10_000 }).toBe(200)
  await cluster.stop()
  await expect.poll(async () => (await get(world, first, 'first', '/readyz')).status, { timeout: 20_000 }).toBe(503)
  expect((await get(world, first, 'first', '/readyz')).text()).toMatch(
    /^the cluster https:\/\/127\.0\.0\.1:\d+ has not answered for \d+s$/m,
  )
  expect((await get(world, first, 'first', '/livez')).status).toBe(200)
}, 40_000)

describe('a cluster that cannot be used is named with the reason', () => {
  test('because it does not answer', async () => {
    await using world = await loopback()
    const cluster = await world.start()
    await cluster.stop()
    const error = await world.start(replica('r', cluster.kubeconfig!)).catch((caught: unknown) => caught)
    expect((error as Error).message).toMatch(/^the cluster https:\/\/127\.0\.0\.1:\d+ cannot be used: /)
    expect(error).toMatchObject({ code: 'SERVER_CLUSTER_UNREACHABLE' })
  })

  test('because it does not know us', async () => {
    await using world = await loopback()
    const cluster = await world.start()
    const text = await readFile(cluster.kubeconfig!, 'utf8')
    const copy = join(world.folder, 'copy')
    await writeFile(copy, text.replace(/aviary_local-admin_..../, 'aviary_local-admin_AAAA'))
    const error = await world.start(replica('r', copy)).catch((caught: unknown) => caught)
    expect((error as Error).message).toMatch(/refuses us: it does not know who we are$/)
    expect(error).toMatchObject({ code: 'SERVER_CLUSTER_REFUSED' })
  })

  test('because we may not do our work there', async () => {
    await using world = await loopback()
    const cluster = await world.start()
    const store = await world.store(cluster)
    const token = await store.get(AccessToken, { name: 'local-admin' })
    await store.update(AccessToken, { ...token, spec: { ...token.spec, groups: [] } })
    const failed = () => world.start(replica('r', cluster.kubeconfig!)).catch((caught: unknown) => caught)
    await expect.poll(async () => ((await failed()) as Error).message).toContain('cannot list resource "leases"')
    expect(await failed()).toMatchObject({ code: 'SERVER_CLUSTER_REFUSED' })
  })

  test('because it lacks our kinds', async () => {
    await using world = await loopback()
    const app = fastify()
    app.get('/apis/coordination.k8s.io/v1/leases', () => ({
      kind: 'LeaseList',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { resourceVersion: '1' },
      items: [],
    }))
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    world.later(() => app.close())
    const file = join(world.folder, 'kubeconfig')
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      clusters: [{ name: 'c', cluster: { server: url } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: '' } }],
      users: [],
    }
    await writeFile(file, JSON.stringify(config))
    const error = await world.start(replica('r', file)).catch((caught: unknown) => caught)
    expect((error as Error).message).toBe(`the cluster ${url} does not know nests.demo.aviary.dev`)
  })

  test('because there is no kubeconfig', async () => {
    await using world = await loopback()
    const error = await world.start(replica('r', '/nowhere/kubeconfig')).catch((caught: unknown) => caught)
    expect((error as Error).message).toContain('/nowhere/kubeconfig')
    expect(error).toMatchObject({ code: 'KUBECONFIG_NOT_FOUND' })
  })
})
