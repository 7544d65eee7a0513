import { describe, expect, test } from 'vitest'
import type { CloneRequest } from '../../platform/index.ts'
import { readXml } from '../xml/reader.ts'
import { child, children, childText, type XmlElement } from '../xml/element.ts'
import { envelope } from '../xml/writer.ts'
import { cloneArguments, type ClonePlan } from './clone-spec.ts'

const usual: ClonePlan = {
  folder: { type: 'Folder', id: 'group-v1' },
  resourcePool: { type: 'ResourcePool', id: 'resgroup-1' },
  datastore: undefined,
  linked: true,
  coresPerSocket: 1,
  snapshot: undefined,
  deviceChanges: [],
  cards: 1,
}

/** What vCenter is told to make of a template. */
function spec(request: Partial<CloneRequest>, plan: Partial<ClonePlan> = {}): XmlElement {
  const whole: CloneRequest = { name: 'worker', annotation: 'ours', template: 'debian', isOurs: () => true, ...request }
  const text = envelope('CloneVM_Task', { type: 'VirtualMachine', id: 'vm-1' }, cloneArguments(whole, { ...usual, ...plan }))
  return at(readXml(text), 'Body', 'CloneVM_Task', 'spec')
}

function at(element: XmlElement, ...names: readonly string[]): XmlElement {
  return names.reduce((parent, name) => child(parent, name) ?? expect.fail(`${parent.name} holds no ${name}`), element)
}

describe('the call that makes a VM', () => {
  test('carries the mark, the size, the pool, the datastore and the settings of the tools, and never powers it on', () => {
    const plan = { datastore: { type: 'Datastore', id: 'datastore-1' } }
    const made = spec({ cpus: 2, memoryMB: 512, toolsAfterPowerOn: false }, plan)
    const config = at(made, 'config')
    expect(['annotation', 'numCPUs', 'memoryMB'].map(name => childText(config, name))).toEqual(['ours', '2', '512'])
    const tools = at(config, 'tools')
    expect(tools.children.map(({ name, text }) => `${name}=${text}`)).toEqual([
      'afterPowerOn=false',
      'afterResume=false',
      'beforeGuestStandby=true',
      'beforeGuestShutdown=true',
      'beforeGuestReboot=true',
    ])
    const location = at(made, 'location')
    expect(['pool', 'datastore'].map(name => childText(location, name))).toEqual(['resgroup-1', 'datastore-1'])
    expect(['powerOn', 'template'].map(name => childText(made, name))).toEqual(['false', 'false'])
  })

  test.each([
    [6, 4, '2'],
    [3, 2, '1'],
    [8, 4, undefined],
    [8, 1, undefined],
    [8, 0, undefined],
    [undefined, 4, undefined],
  ])('with %s CPUs where sockets have %i cores has %s in each: all sockets must be full', (cpus, cores, expected) => {
    const made = spec({ ...(cpus !== undefined && { cpus }) }, { coresPerSocket: cores })
    expect(childText(at(made, 'config'), 'numCoresPerSocket')).toBe(expected)
  })

  test('leaves to the template what it is not told', () => {
    const made = spec({})
    expect(at(made, 'config').children.map(({ name }) => name)).toEqual(['annotation'])
    expect([child(made, 'customization'), child(made, 'snapshot'), child(at(made, 'location'), 'datastore')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  const snapshot = { type: 'VirtualMachineSnapshot', id: 'snapshot-1' }
  test.each([
    ['hangs on the template’s snapshot', { linked: true, snapshot }, 'createNewChildDiskBacking', 'snapshot-1'],
    ['shares the template’s parent disks where there is no snapshot', { linked: true }, 'moveChildMostDiskBacking', undefined],
    ['shares nothing if it is to be a full one', { linked: false, snapshot }, 'moveAllDiskBackingsAndDisallowSharing', undefined],
  ])('%s', (_, plan, diskMoveType, hangsOn) => {
    const made = spec({}, plan)
    expect([childText(at(made, 'location'), 'diskMoveType'), childText(made, 'snapshot')]).toEqual([diskMoveType, hangsOn])
  })

  test('gives the guest a name, a static address on the first card, and DHCP on the others', () => {
    const address = {
      kind: 'static',
      address: '10.0.0.9',
      subnetMask: '255.255.255.0',
      gateway: '10.0.0.1',
      dns: ['10.0.0.2', '10.0.0.3'],
    } as const
    const made = at(spec({ guest: { hostName: 'worker', domain: 'example.test', address } }, { cards: 2 }), 'customization')
    expect(at(made, 'identity').type).toBe('CustomizationLinuxPrep')
    expect(at(made, 'identity', 'hostName', 'name').text).toBe('worker')
    expect(at(made, 'identity', 'domain').text).toBe('example.test')
    expect(children(at(made, 'globalIPSettings'), 'dnsServerList').map(({ text }) => text)).toEqual(['10.0.0.2', '10.0.0.3'])
    const [first, second] = children(made, 'nicSettingMap').map(card => at(card, 'adapter'))
    expect([at(first!, 'ip').type, at(first!, 'ip', 'ipAddress').text]).toEqual(['CustomizationFixedIp', '10.0.0.9'])
    expect(['subnetMask', 'gateway'].map(name => childText(first!, name))).toEqual(['255.255.255.0', '10.0.0.1'])
    expect(at(second!, 'ip').type).toBe('CustomizationDhcpIpGenerator')
  })

  test('names neither gateway nor name servers to a guest with a static address if there are none', () => {
    const address = { kind: 'static', address: '10.0.0.9', subnetMask: '255.255.255.0', gateway: '', dns: [] } as const
    const made = at(spec({ guest: { hostName: 'worker', domain: '', address } }), 'customization')
    expect(at(made, 'nicSettingMap', 'adapter').children.map(({ name }) => name)).toEqual(['ip', 'subnetMask'])
    expect(at(made, 'globalIPSettings').children).toEqual([])
  })

  test('gives the guest an address by DHCP if that is wanted, and then no name servers', () => {
    const made = at(spec({ guest: { hostName: 'worker', domain: 'example.test', address: { kind: 'dhcp' } } }), 'customization')
    expect(at(made, 'nicSettingMap', 'adapter', 'ip').type).toBe('CustomizationDhcpIpGenerator')
    expect(at(made, 'globalIPSettings').children).toEqual([])
  })
})
