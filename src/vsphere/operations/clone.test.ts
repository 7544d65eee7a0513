import { describe, expect, test } from 'vitest'
import { NameTaken, type CloneRequest } from '../../platform/index.ts'
import { aVm } from '../../platform/testing/a-vm.ts'
import { listed, scriptedConnection } from '../testing/scripted-connection.ts'
import { refusal, type Scripted } from '../testing/scripted-vcenter.ts'
import { cloneVm } from './clone.ts'

const ref = (type: string, id: string) => `<val type="${type}">${id}</val>`
const e1000 =
  '<val><VirtualDevice xmlns:xsi="x" xsi:type="VirtualE1000"><key>4000</key>' +
  '<backing xsi:type="VirtualEthernetCardNetworkBackingInfo"><deviceName>VM Network</deviceName></backing></VirtualDevice></val>'
const objects: Readonly<Record<string, string>> = {
  dc: listed('Datacenter', 'dc', {
    name: 'DC0',
    vmFolder: ref('Folder', 'vm'),
    hostFolder: ref('Folder', 'host'),
    datastoreFolder: ref('Folder', 'datastore'),
    networkFolder: ref('Folder', 'network'),
  }),
  pool: listed('ResourcePool', 'pool', { name: 'Resources' }),
  'vm-1': listed('VirtualMachine', 'vm-1', { name: 'debian', 'config.template': 'true', 'config.hardware.device': e1000 }),
  'vm-7': listed('VirtualMachine', 'vm-7', { name: 'wren', 'config.annotation': 'ours', 'config.template': 'false' }),
}

const request: CloneRequest = { name: 'wren', annotation: 'ours', template: 'debian', isOurs: vm => vm.annotation === 'ours' }

/** What comes of a clone in a vCenter with one template, after an hour at most. */
async function clone(script: (method: string, body: string) => Scripted | undefined, more: Partial<CloneRequest> = {}) {
  const { connection, clock } = scriptedConnection((method, body) => {
    const said = script(method, body)
    if (said !== undefined) return said
    if (method === 'CreateContainerView')
      return `<returnval type="ContainerView">${body.includes('Datacenter') ? 'dc' : 'pool'}</returnval>`
    if (method !== 'RetrievePropertiesEx') return undefined
    const found = Object.keys(objects).find(id => body.includes(`>${id}</obj>`))
    return `<returnval>${found === undefined ? '' : objects[found]}</returnval>`
  })
  // A VM of the same name comes first: it is not what a template's name means.
  connection.inventory.replace([aVm({ id: 'vm-0', name: 'debian' }), aVm({ id: 'vm-1', name: 'debian', template: true })])
  const outcome = cloneVm(connection, { ...request, ...more }, new AbortController().signal, 1_800_000).catch((error: unknown) => error)
  await clock.advance(3_600_000)
  return await outcome
}

describe('a name that is taken', () => {
  test('by a VM that an earlier life of this program is still making is waited for, and found', async () => {
    let asked = 0
    const task = (state: string) => `<returnval>${listed('Task', 'task-9', { 'info.state': state, 'info.entity': 'vm-1' })}</returnval>`
    const isDone = () => asked > 5
    const made = await clone((method, body) => {
      if (method === 'CloneVM_Task') return refusal('DuplicateName')
      if (method === 'FindChild') return isDone() ? '<returnval type="VirtualMachine">vm-7</returnval>' : ''
      if (body.includes('recentTask') || body.includes('>task-9</obj>')) return (asked++, task(isDone() ? 'success' : 'running'))
      return undefined
    })
    expect(made).toMatchObject({ id: 'vm-7', name: 'wren' })
  })

  test('by nobody who is seen is somebody else’s', async () => {
    const error = await clone(method => (method === 'CloneVM_Task' ? refusal('DuplicateName') : undefined))
    expect(NameTaken.is(error), String(error)).toBe(true)
  })
})

test('the card of the template is replaced by one of the wanted sort on its own network', async () => {
  let sent = ''
  await clone(
    (method, body) => {
      if (method !== 'CloneVM_Task') return undefined
      sent = body
      return refusal('NotSupported')
    },
    { network: { card: 'vmxnet3' } },
  )
  expect(sent).toContain('<_this type="VirtualMachine">vm-1</_this>')
  expect(Array.from(sent.matchAll(/<operation>(\w+)</g), ([, operation]) => operation)).toEqual(['remove', 'add'])
  expect(sent).toMatch(/xsi:type="VirtualVmxnet3".*<deviceName>VM Network</s)
})
