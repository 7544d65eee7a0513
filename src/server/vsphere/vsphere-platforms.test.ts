import { expect, test } from 'vitest'
import { allKinds } from '../../kinds/index.ts'
import { addressNetwork } from '../../platform/index.ts'
import { prometheusMetrics, Secret, seededChance, silentLog, simulatedHttp, VirtualClock } from '../../ports/index.ts'
import type { HttpClient, TlsTrust } from '../../ports/index.ts'
import { memoryStore } from '../../store/index.ts'
import type { VsphereSettings } from '../../vsphere/index.ts'
import { listed } from '../../vsphere/testing/scripted-connection.ts'
import { preliminaries, refusal, scriptedVcenter } from '../../vsphere/testing/scripted-vcenter.ts'
import { VcenterSettingsDiffer } from '../errors.ts'
import { VspherePlatforms } from './vsphere-platforms.ts'

const settings: VsphereSettings = { url: 'https://vcenter.example.org', user: 'ann', password: new Secret('opensesame') }

const starting = async () => ({ status: 503, body: 'starting' })

/** Platforms on vCenters that never answer, which is enough to see who shares what, or answer as they are told. */
function platforms(clock = new VirtualClock(), client: HttpClient = simulatedHttp(starting, { clock })) {
  const chance = seededChance('platforms')
  const trusted: TlsTrust[] = []
  const http = (trust: TlsTrust) => {
    trusted.push(trust)
    return client
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

/** A vCenter with a template, two folders and two pools, that notes where clones are to go and makes none. */
function vcenterWithPlaces(clock: VirtualClock) {
  const asked: string[] = []
  const ref = (type: string, id: string) => `<val type="${type}">${id}</val>`
  const folders = { vmFolder: 'vm', hostFolder: 'host', datastoreFolder: 'datastore', networkFolder: 'network' }
  const places: Readonly<Record<string, string>> = {
    Datacenter: listed('Datacenter', 'dc', {
      name: 'DC0',
      ...Object.fromEntries(Object.entries(folders).map(([property, id]) => [property, ref('Folder', id)])),
    }),
    Folder: ['workers', 'pools'].map(name => listed('Folder', name, { name })).join(''),
    ResourcePool: ['Resources', 'small'].map(name => listed('ResourcePool', name, { name })).join(''),
  }
  const template =
    '<objectSet><kind>enter</kind><obj type="VirtualMachine">vm-1</obj><changeSet><name>name</name><op>assign</op><val>debian</val></changeSet>' +
    '<changeSet><name>config.template</name><op>assign</op><val>true</val></changeSet></objectSet>'
  const { http } = scriptedVcenter(clock, (method, body) => {
    if (method === 'CreateContainerView') return `<returnval type="ContainerView">${/<type>(\w+)</.exec(body)?.[1] ?? ''}</returnval>`
    if (method === 'CreateFilter') return `<returnval type="PropertyFilter">${/<type>(\w+)</.exec(body)?.[1] ?? ''}</returnval>`
    if (method === 'WaitForUpdatesEx') {
      if (!body.includes('<version></version>')) return new Promise(() => {})
      return `<returnval><version>1</version><filterSet><filter type="PropertyFilter">VirtualMachine</filter>${template}</filterSet></returnval>`
    }
    if (method === 'CloneVM_Task') {
      asked.push([/<folder .*?>(\w+)</.exec(body)?.[1], /<pool .*?>(\w+)</.exec(body)?.[1]].join(' in '))
      return refusal('NotSupported')
    }
    if (method !== 'RetrievePropertiesEx') return preliminaries[method] ?? ''
    const about = /<obj type="\w+">(\w+)</.exec(body)?.[1] ?? ''
    return `<returnval>${places[about === 'dc' ? 'Datacenter' : about] ?? ''}</returnval>`
  })
  return { http, asked }
}

test('the home of the first service does not become that of those who come after it', async () => {
  const clock = new VirtualClock()
  const { http, asked } = vcenterWithPlaces(clock)
  const { made } = platforms(clock, http)
  const hatchery = made.platformFor({ ...settings, folder: 'workers', resourcePool: 'small' }, 'hatchery')
  const others = made.platformFor(settings, 'others')
  await clock.advance(1_000)
  for (const platform of [hatchery, others, hatchery]) {
    const request = { name: 'wren', annotation: '', template: 'debian', isOurs: () => true }
    const refused = platform.clone(request, new AbortController().signal).catch(() => {})
    await clock.advance(1_000)
    await refused
  }
  expect(asked).toEqual(['workers in small', 'vm in Resources', 'workers in small'])
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
  const refused = (more: Partial<VsphereSettings>) => {
    try {
      made.platformFor({ ...settings, ...more }, 'pools')
      return undefined
    } catch (error) {
      return error
    }
  }
  const wrong = refused({ password: new Secret('sesameopen') })
  expect(VcenterSettingsDiffer.is(wrong)).toBe(true)
  expect(String(wrong)).toContain('password')
  expect(JSON.stringify(wrong) + String(wrong)).not.toContain('sesame')
  expect(String(refused({ trust: { thumbprint: 'cd'.repeat(32) } }))).toContain('thumbprint')
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
