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
    expect(findCondition(await world.pool(), 'InventoryValid')?.message).toContain('api.bad.example.com')
    for (const host of hosts('bad')) known.add(host)
    await world.seconds(60)
    expect(await world.names()).toEqual(['bad', 'good'])
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
