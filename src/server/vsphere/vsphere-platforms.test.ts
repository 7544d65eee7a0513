import { expect, test } from 'vitest'
import { allKinds } from '../../kinds/index.ts'
import { addressNetwork } from '../../platform/index.ts'
import { prometheusMetrics, Secret, seededChance, silentLog, simulatedHttp, VirtualClock } from '../../ports/index.ts'
import type { TlsTrust } from '../../ports/index.ts'
import { memoryStore } from '../../store/index.ts'
import type { VsphereSettings } from '../../vsphere/index.ts'
import { VcenterSettingsDiffer } from '../errors.ts'
import { VspherePlatforms } from './vsphere-platforms.ts'

const settings: VsphereSettings = { url: 'https://vcenter.example.org', user: 'ann', password: new Secret('opensesame') }

/** Platforms on vCenters that never answer: enough to see who shares what. */
function platforms() {
  const clock = new VirtualClock()
  const chance = seededChance('platforms')
  const trusted: TlsTrust[] = []
  const http = (trust: TlsTrust) => {
    trusted.push(trust)
    return simulatedHttp(async () => ({ status: 503, body: 'starting' }), { clock })
  }
  const metrics = prometheusMetrics()
  const ports = { clock, chance, log: silentLog, metrics, http }
  return { made: new VspherePlatforms({ ports, store: memoryStore({ kinds: allKinds, clock, chance }) }), trusted, metrics }
}

test('who names the same vCenter and user shares one client, one inventory and one governor, whatever else differs', async () => {
  const { made, trusted } = platforms()
  const thumbprint = 'ab'.repeat(32)
  const hatchery = made.platformFor({ ...settings, trust: { thumbprint }, folder: 'workers' }, 'hatchery')
  const pools = made.platformFor({ ...settings, url: 'https://vcenter.example.org/sdk', trust: { thumbprint }, folder: 'pools' }, 'pools')
  expect(pools.inventory).toBe(hatchery.inventory)
  expect(trusted).toEqual([{ thumbprint }])
  const other = made.platformFor({ ...settings, user: 'ben', trust: { thumbprint } }, 'pools')
  expect(other.inventory).not.toBe(hatchery.inventory)
  expect(trusted).toHaveLength(2)
  await made[Symbol.asyncDispose]()
})

test('another datacenter has an inventory of its own over the same client', async () => {
  const { made, trusted } = platforms()
  const [one, two] = ['north', 'south'].map(datacenter => made.platformFor({ ...settings, datacenter }, 'hatchery'))
  expect(one!.inventory).not.toBe(two!.inventory)
  expect(trusted).toHaveLength(1)
  await made[Symbol.asyncDispose]()
})

test('one account with two passwords, or two opinions on whom to trust, is refused by the name of the field', async () => {
  const { made } = platforms()
  made.platformFor(settings, 'hatchery')
  const refusal = (more: Partial<VsphereSettings>) => {
    try {
      made.platformFor({ ...settings, ...more }, 'pools')
      return undefined
    } catch (error) {
      return error
    }
  }
  const wrong = refusal({ password: new Secret('sesameopen') })
  expect(VcenterSettingsDiffer.is(wrong)).toBe(true)
  expect(String(wrong)).toContain('password')
  expect(JSON.stringify(wrong) + String(wrong)).not.toContain('sesame')
  expect(String(refusal({ trust: { thumbprint: 'cd'.repeat(32) } }))).toContain('thumbprint')
  await made[Symbol.asyncDispose]()
})

test('closing what one service was given does not end it for the others', async () => {
  const { made } = platforms()
  const hatchery = made.platformFor(settings, 'hatchery')
  const pools = made.platformFor(settings, 'pools')
  await hatchery.close()
  expect(pools.inventory.state.kind).toBe('syncing')
  await made[Symbol.asyncDispose]()
  expect(pools.inventory.state.kind).toBe('unknown')
})

test('addresses of the same networks are given out by one authority', async () => {
  const { made } = platforms()
  const network = () => addressNetwork({ name: 'lan', ranges: '10.0.0.0/28' })
  const first = made.addressesFor(settings, [network()])
  expect(made.addressesFor(settings, [network()])).toBe(first)
  expect(made.addressesFor(settings, [])).not.toBe(first)
  await made[Symbol.asyncDispose]()
})

test('metrics show nothing of platforms that have ended: a hatchery that begins again and again leaves nothing behind', async () => {
  const { made, metrics } = platforms()
  made.platformFor(settings, 'hatchery')
  made.addressesFor(settings, [addressNetwork({ name: 'lan', ranges: '10.0.0.0/28' })])
  const shown = async () =>
    (await metrics.text()).split('\n').filter(line => /^aviary_platform_(operations|held_back|addresses)\{/.test(line))
  expect(await shown()).not.toEqual([])
  await made[Symbol.asyncDispose]()
  expect(await shown()).toEqual([])
})
