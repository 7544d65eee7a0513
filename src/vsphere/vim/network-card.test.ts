import { expect, test } from 'vitest'
import { listed, scriptedConnection } from '../testing/scripted-connection.ts'
import { readXml } from '../xml/reader.ts'
import { child, childText, type XmlElement } from '../xml/element.ts'
import { envelope, type XmlFields } from '../xml/writer.ts'
import { cardChanges, cardsOf, networkBacking } from './network-card.ts'

const objects: Readonly<Record<string, string>> = {
  'network-1': listed('Network', 'network-1', { name: 'VM Network' }),
  'network-2': listed('Network', 'network-2', { name: 'lab 10%2f100' }),
  'dvportgroup-1': listed('DistributedVirtualPortgroup', 'dvportgroup-1', {
    key: 'dvportgroup-1-key',
    'config.distributedVirtualSwitch': '<val type="VmwareDistributedVirtualSwitch">dvs-1</val>',
  }),
  'dvs-1': listed('VmwareDistributedVirtualSwitch', 'dvs-1', { uuid: '50 1f' }),
  'network-o1': listed('OpaqueNetwork', 'network-o1', {
    summary: '<val><opaqueNetworkId>ls-42</opaqueNetworkId><opaqueNetworkType>nsx.LogicalSwitch</opaqueNetworkType></val>',
  }),
}

/** What a card is told to connect to. */
async function backing(type: string, id: string): Promise<XmlElement> {
  const { connection } = scriptedConnection((method, body) => {
    const found = Object.keys(objects).find(each => body.includes(`>${each}<`))
    return method === 'RetrievePropertiesEx' && found !== undefined ? `<returnval>${objects[found]}</returnval>` : undefined
  })
  return sent(await networkBacking(connection.session, { type, id }, 'lab/VM Network'))
}

/** Fields as vCenter reads them. */
function sent(fields: XmlFields): XmlElement {
  const body = child(readXml(envelope('Connect', { type: 'x', id: 'x' }, { fields })), 'Body')
  return child(child(body!, 'Connect')!, 'fields')!
}

const told = (element: XmlElement): string =>
  element.children.length === 0 ? `${element.name}=${element.text}` : `${element.name}(${element.children.map(told).join(' ')})`

test.each([
  ['Network', 'network-1', 'VirtualEthernetCardNetworkBackingInfo', 'deviceName=VM Network network=network-1'],
  ['Network', 'network-2', 'VirtualEthernetCardNetworkBackingInfo', 'deviceName=lab 10/100 network=network-2'],
  [
    'DistributedVirtualPortgroup',
    'dvportgroup-1',
    'VirtualEthernetCardDistributedVirtualPortBackingInfo',
    'port(switchUuid=50 1f portgroupKey=dvportgroup-1-key)',
  ],
  [
    'OpaqueNetwork',
    'network-o1',
    'VirtualEthernetCardOpaqueNetworkBackingInfo',
    'opaqueNetworkId=ls-42 opaqueNetworkType=nsx.LogicalSwitch',
  ],
])('a card is connected to a %s as vCenter wants it', async (type, id, backingType, fields) => {
  const element = await backing(type, id)
  expect([element.type, element.children.map(told).join(' ')]).toEqual([backingType, fields])
})

/** The first card of a template with one on this network. */
function firstCard(backingXml: string) {
  const device = `<VirtualDevice xmlns:xsi="x" xsi:type="VirtualE1000"><key>4000</key>${backingXml}<controllerKey>100</controllerKey><unitNumber>7</unitNumber></VirtualDevice>`
  return cardsOf(readXml(`<val>${device}</val>`))[0]
}

const standard =
  '<backing xmlns:xsi="x" xsi:type="VirtualEthernetCardNetworkBackingInfo"><deviceName>lab 10/100</deviceName><network type="Network">network-2</network></backing>'
const distributed =
  '<backing xmlns:xsi="x" xsi:type="VirtualEthernetCardDistributedVirtualPortBackingInfo"><port><switchUuid>50 1f</switchUuid>' +
  '<portgroupKey>dvportgroup-1</portgroupKey><portKey>12</portKey><connectionCookie>99</connectionCookie></port></backing>'
const opaque =
  '<backing xmlns:xsi="x" xsi:type="VirtualEthernetCardOpaqueNetworkBackingInfo"><opaqueNetworkId>ls-42</opaqueNetworkId>' +
  '<opaqueNetworkType>nsx.LogicalSwitch</opaqueNetworkType></backing>'

test.each([
  ['a standard network', standard, 'deviceName=lab 10/100 network=network-2'],
  ['a distributed one, on a port of its own', distributed, 'port(switchUuid=50 1f portgroupKey=dvportgroup-1)'],
  ['one of NSX', opaque, 'opaqueNetworkId=ls-42 opaqueNetworkType=nsx.LogicalSwitch'],
])('a card of another sort takes the place of the template’s on %s', (_, backingXml, fields) => {
  const [removed, added] = cardChanges('vmxnet3', undefined, firstCard(backingXml)).map(sent)
  expect([removed, added].map(change => [childText(change!, 'operation'), child(change!, 'device')?.type])).toEqual([
    ['remove', 'VirtualE1000'],
    ['add', 'VirtualVmxnet3'],
  ])
  expect(child(child(added!, 'device')!, 'backing')!.children.map(told).join(' ')).toBe(fields)
})

test.each([
  ['that is of the wanted sort already', 'e1000', standard],
  ['whose network is not known', 'vmxnet3', '<backing xmlns:xsi="x" xsi:type="VirtualEthernetCardRemoteDeviceBackingInfo"/>'],
] as const)('a card %s is left alone where no network is named', (_, card, backingXml) => {
  expect(cardChanges(card, undefined, firstCard(backingXml))).toEqual([])
})

test('a template without a card gets none where no network is named', () => {
  expect(cardChanges('vmxnet3', undefined, undefined)).toEqual([])
})
