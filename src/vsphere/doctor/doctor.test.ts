import { describe, expect, test } from 'vitest'
import { Secret, seededChance, silentLog, VirtualClock } from '../../ports/index.ts'
import type { VsphereSettings } from '../settings.ts'
import { listed } from '../testing/scripted-connection.ts'
import { preliminaries, refusal, scriptedVcenter, type Scripted } from '../testing/scripted-vcenter.ts'
import { doctor } from './doctor.ts'

const ref = (type: string, id: string) => `<val type="${type}">${id}</val>`
const refs = (type: string, id: string) => `<val><ManagedObjectReference type="${type}">${id}</ManagedObjectReference></val>`
const card = '<val><VirtualDevice xmlns:xsi="x" xsi:type="VirtualVmxnet3"><key>4000</key></VirtualDevice></val>'

const folders = { vmFolder: 'vm', hostFolder: 'host', datastoreFolder: 'datastore', networkFolder: 'network' }
const datacenter = listed('Datacenter', 'dc', {
  name: 'DC0',
  ...Object.fromEntries(Object.entries(folders).map(([property, id]) => [property, ref('Folder', id)])),
})
const pool = listed('ResourcePool', 'pool-1', { name: 'Resources' })
const template = listed('VirtualMachine', 'vm-1', {
  name: 'debian',
  'config.template': 'true',
  'config.hardware.device': card,
  datastore: refs('Datastore', 'datastore-1'),
  network: refs('Network', 'network-1'),
})

/** The check-up of a vCenter with one template that grants everything, but for what the script says. */
async function checkUp(script: (method: string, body: string) => Scripted | undefined, places: Partial<VsphereSettings> = {}) {
  const clock = new VirtualClock()
  const { http } = scriptedVcenter(clock, (method, body) => {
    const said = script(method, body)
    if (said !== undefined) return said
    const about = (text: string) => body.includes(text)
    if (method === 'CreateContainerView') {
      return `<returnval type="ContainerView">${['Datacenter', 'ResourcePool', 'Datastore', 'VirtualMachine'].find(about)}</returnval>`
    }
    if (method === 'HasPrivilegeOnEntities') {
      const asked = Array.from(body.matchAll(/<privId>(.*?)</g), ([, id]) => id)
      const granted = asked.map(id => `<privAvailability><privId>${id}</privId><isGranted>true</isGranted></privAvailability>`)
      return `<returnval><entity type="x">x</entity>${granted.join('')}</returnval>`
    }
    if (method !== 'RetrievePropertiesEx') return preliminaries[method] ?? ''
    return `<returnval>${about('Datacenter') ? datacenter : about('>ResourcePool<') ? pool : template}</returnval>`
  })
  const settings = { url: 'https://vcenter', user: 'ann', password: new Secret('x'), ...places }
  const options = { settings, http, clock, chance: seededChance(1), log: silentLog, templates: ['debian'] }
  return doctor(options, new AbortController().signal)
}

const content = (about: string) => preliminaries['RetrieveServiceContent']!.replace(/<about>.*<\/about>/, `<about>${about}</about>`)

describe('the doctor', () => {
  test('finds nothing wrong where nothing is', async () => {
    expect((await checkUp(() => undefined)).filter(({ ok }) => !ok)).toEqual([])
  })

  test.each([
    ['a single host', '<version>8.0.2</version><apiType>HostAgent</apiType>', 'the vCenter that manages it'],
    ['a vCenter that is too old', '<version>6.0.0</version><apiType>VirtualCenter</apiType>', '6.5 or later'],
  ])('looks no further at %s', async (_, about, fix) => {
    const checks = await checkUp(method => (method === 'RetrieveServiceContent' ? content(about) : undefined))
    expect(checks.at(-1)).toMatchObject({ what: 'the version of the vCenter', ok: false, fix: expect.stringContaining(fix) })
  })

  test('checks the datastore and the network of a template if the configuration names none', async () => {
    const checks = await checkUp((method, body) => (method === 'HasPrivilegeOnEntities' && body.includes('datastore-1') ? '' : undefined))
    expect(checks.filter(({ ok }) => !ok).map(({ what }) => what)).toEqual([
      'privilege Datastore.AllocateSpace on the datastore of template debian',
    ])
    expect(checks.map(({ what }) => what)).toContain('privilege Network.Assign on the network of template debian')
  })

  test('takes the name of a template for that of the template, as clones do, also if a VM has it too', async () => {
    const script = (method: string, body: string) =>
      method === 'RetrievePropertiesEx' && body.includes('>VirtualMachine</obj>')
        ? `<returnval>${listed('VirtualMachine', 'vm-0', { name: 'debian', 'config.template': 'false' })}${template}</returnval>`
        : undefined
    expect((await checkUp(script)).filter(({ ok }) => !ok)).toEqual([])
  })

  test.each([
    ['can be read', { uuid: '50 1f' }, { ok: true }],
    ['cannot be read', {}, { ok: false, found: 'the account cannot read it', fix: expect.stringContaining('Read-only') }],
  ])('looks whether the switch of a distributed network %s', async (_, properties, expected) => {
    const portgroup = listed('DistributedVirtualPortgroup', 'dvportgroup-1', {
      name: 'lan',
      key: 'dvportgroup-1',
      'config.distributedVirtualSwitch': ref('VmwareDistributedVirtualSwitch', 'dvs-1'),
    })
    const found: Readonly<Record<string, string>> = {
      'dvs-1': listed('VmwareDistributedVirtualSwitch', 'dvs-1', properties),
      'dvportgroup-1': portgroup,
      Networks: portgroup,
    }
    const script = (method: string, body: string) => {
      if (method === 'CreateContainerView' && body.includes('OpaqueNetwork')) return '<returnval type="ContainerView">Networks</returnval>'
      const about = Object.keys(found).find(id => body.includes(`>${id}</obj>`))
      return method === 'RetrievePropertiesEx' && about !== undefined ? `<returnval>${found[about]}</returnval>` : undefined
    }
    const checks = await checkUp(script, { network: 'lan' })
    expect(checks.find(({ what }) => what === 'network lan: its switch')).toMatchObject(expected)
  })

  test.each([
    ['true', 'normal', { ok: true, found: '7 GB free' }],
    ['false', 'normal', { ok: false, found: 'no host can reach it' }],
    ['true', 'inMaintenance', { ok: false, found: 'it is in maintenance' }],
  ])('looks whether a datastore has room: accessible %s, %s', async (accessible, maintenanceMode, expected) => {
    const datastore = listed('Datastore', 'datastore-9', {
      name: 'fast',
      'summary.accessible': accessible,
      'summary.maintenanceMode': maintenanceMode,
      'summary.freeSpace': String(7.5 * 2 ** 30),
    })
    const script = (method: string, body: string) =>
      method === 'RetrievePropertiesEx' && /datastore-9|>Datastore</.test(body) ? `<returnval>${datastore}</returnval>` : undefined
    const checks = await checkUp(script, { datastore: 'fast' })
    expect(checks.find(({ what }) => what === 'datastore fast: room for disks')).toMatchObject(expected)
  })

  test.each([
    ['HasPrivilegeOnEntities', { status: 502, body: '' }, 'privileges on the folder'],
    ['HasPrivilegeOnEntities', refusal('NoPermission'), 'privileges on the folder'],
    ['CreateContainerView', refusal('NoPermission'), 'datacenter'],
  ] as const)('tells of %s that fails as of everything else', async (failing, answer, what) => {
    const problems = (await checkUp(method => (method === failing ? answer : undefined))).filter(({ ok }) => !ok)
    expect(problems[0]).toMatchObject({ what: expect.stringContaining(what), breaks: expect.any(String), fix: expect.any(String) })
  })
})
