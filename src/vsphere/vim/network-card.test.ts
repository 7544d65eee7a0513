import { expect, test } from 'vitest'
import { listed, scriptedConnection } from '../testing/scripted-connection.ts'
import { readXml } from '../xml/reader.ts'
import { child, type XmlElement } from '../xml/element.ts'
import { envelope } from '../xml/writer.ts'
import { networkBacking } from './network-card.ts'

const objects: Readonly<Record<string, string>> = {
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
  const fields = await networkBacking(connection.session, { type, id }, 'lab/VM Network')
  const body = child(readXml(envelope('Connect', { type, id }, { backing: fields })), 'Body')
  return child(child(body!, 'Connect')!, 'backing')!
}

const told = (element: XmlElement): string =>
  element.children.length === 0 ? `${element.name}=${element.text}` : `${element.name}(${element.children.map(told).join(' ')})`

test.each([
  ['Network', 'network-1', 'VirtualEthernetCardNetworkBackingInfo', 'deviceName=VM Network network=network-1'],
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
