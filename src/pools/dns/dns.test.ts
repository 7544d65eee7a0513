import { afterEach, describe, expect, test } from 'vitest'
import { findCondition } from '../../control/index.ts'
import { PoolWorld } from '../testing/pool-world.ts'
import { nameCheck } from './name-check.ts'
import { dnsRecords } from './records.ts'

let world: PoolWorld | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

const hosts = (name: string) => ['api', 'apps', 'any.apps', 'console'].map(prefix => `${prefix}.${name}.example.com`)

describe('DNS', () => {
  test('each name of the inventory needs its records', async () => {
    world = await PoolWorld.make()
    const pool = await world.createPool({
      inventory: { clusterDeployments: [{ name: 'foo', vSphere: { apiVIPs: ['10.0.0.10'], ingressVIPs: ['10.0.0.11'] } }] },
    })
    expect(dnsRecords(pool, []).map(({ host, addresses }) => [host, ...addresses])).toEqual([
      ['api.foo.example.com', '10.0.0.10'],
      ['apps.foo.example.com', '10.0.0.11'],
      ['*.apps.foo.example.com', '10.0.0.11'],
      ['console.foo.example.com', '10.0.0.11'],
    ])
  })

  test('a name whose records are missing is not used, and the pool says which', async () => {
    const known = new Set(hosts('good'))
    world = await PoolWorld.make({ checkNames: nameCheck(async host => (known.has(host) ? ['10.0.0.1'] : [])) })
    world.start()
    await world.createPool({ size: 2, inventory: world.inventory('bad', 'good') })
    await world.seconds(5)
    expect(await world.names()).toEqual(['good'])
    expect(findCondition(await world.pool(), 'InventoryValid')).toMatchObject({
      message: expect.stringContaining('api.bad.example.com'),
      unblock: 'make the DNS records that are missing: aviary pool dns pool --check',
    })
    expect(findCondition(await world.pool(), 'Filled')).toMatchObject({
      reason: 'NoUsableName',
      message: expect.stringContaining('1 is being installed; none of the free names can be used'),
    })
    for (const host of hosts('bad')) known.add(host)
    await world.seconds(60)
    expect(await world.names()).toEqual(['bad', 'good'])
    await world.seconds(60)
    expect(findCondition(await world.pool(), 'Filled')).toMatchObject({ status: 'True' })
  })

  test('a pool none of whose names can be used says so, and not that clusters are being installed', async () => {
    world = await PoolWorld.started({ checkNames: nameCheck(async () => []) })
    await world.createPool({ size: 2, inventory: world.inventory('bad', 'worse') })
    await world.seconds(100)
    expect(findCondition(await world.pool(), 'Filled')).toMatchObject({
      status: 'False',
      reason: 'NoUsableName',
      message: '0 of 2 clusters are ready or stand by; 0 are being installed; none of the free names can be used: InventoryValid says why',
      unblock: 'make the DNS records that are missing: aviary pool dns pool --check',
    })
  })

  test.each([
    ['no more than are needed while they are right', [], 3, 3],
    ['many at a time when they are not, so that all are through in the time that five take', ['api'], 100, 32],
  ])('names are checked %s', async (_, missing, checked, together) => {
    let [atWork, most, asked] = [0, 0, 0]
    const here = await PoolWorld.make({
      checkNames: async () => {
        asked++
        most = Math.max(most, ++atWork)
        await here.clock.sleep(10_000)
        atWork--
        return missing
      },
    })
    world = here
    here.start()
    await here.createPool({ size: 3, inventory: here.inventory(...Array.from({ length: 100 }, (__, index) => `n${index}`)) })
    await here.seconds(49)
    expect([asked, most]).toEqual([checked, together])
  })

  test('an address of IPv6 is the same however it is written', async () => {
    world = await PoolWorld.make()
    const entry = { name: 'foo', vSphere: { apiVIPs: ['2001:DB8::1'], ingressVIPs: ['2001:db8:0::2'] } }
    const pool = await world.createPool({ inventory: { clusterDeployments: [entry] } })
    const resolve = async (host: string) => [host.startsWith('api.') ? '2001:db8:0:0:0:0:0:1' : '2001:db8::2']
    expect(await nameCheck(resolve)(pool, entry, 'foo', new AbortController().signal)).toEqual([])
  })

  test('a record that leads elsewhere than the inventory says counts as missing, and so does a server that does not answer', async () => {
    world = await PoolWorld.make()
    const entry = { name: 'foo', vSphere: { apiVIPs: ['10.0.0.10'] } }
    const pool = await world.createPool({ inventory: { clusterDeployments: [entry] } })
    const { signal } = new AbortController()
    expect(await nameCheck(async () => ['10.9.9.9'])(pool, entry, 'foo', signal)).toEqual(['api.foo.example.com'])
    expect(await nameCheck(() => Promise.reject(new Error('timeout')))(pool, entry, 'foo', signal)).toHaveLength(4)
  })
})
