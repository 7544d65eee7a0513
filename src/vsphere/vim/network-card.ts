import { NotThere, type NetworkSettings } from '../../platform/index.ts'
import type { Session } from '../soap/session.ts'
import { child, childText, type XmlElement } from '../xml/element.ts'
import { reference, typed, type Ref, type XmlFields } from '../xml/writer.ts'
import { readName } from './object-name.ts'
import { refOf, retrieveOne } from './property-collector.ts'

const cardTypes: Readonly<Record<NetworkSettings['card'], string>> = {
  e1000: 'VirtualE1000',
  e1000e: 'VirtualE1000e',
  vmxnet2: 'VirtualVmxnet2',
  vmxnet3: 'VirtualVmxnet3',
  pcnet32: 'VirtualPCNet32',
  sriov: 'VirtualSriovEthernetCard',
}

const anyCard: ReadonlySet<string> = new Set([...Object.values(cardTypes), 'VirtualVmxnet', 'VirtualVmxnet3Vrdma'])

/** A network card of a template: what must be repeated to change it. */
export interface TemplateCard {
  readonly type: string
  readonly key: number
  readonly controllerKey: number | undefined
  readonly unitNumber: number | undefined
  /** What connects it to its network; undefined for one that is connected to none, or in a way that is not known here. */
  readonly backing: XmlFields | undefined
}

/** The network cards among a VM's devices, in their order. */
export function cardsOf(devices: XmlElement | undefined): readonly TemplateCard[] {
  const cards = devices?.children.filter(({ type }) => type !== undefined && anyCard.has(type)) ?? []
  return cards.map(device => ({
    type: device.type as string,
    key: Number(childText(device, 'key')),
    controllerKey: numberOf(childText(device, 'controllerKey')),
    unitNumber: numberOf(childText(device, 'unitNumber')),
    backing: backingAgain(child(device, 'backing')),
  }))
}

/** What connects another card to the same network. The port of a switch belongs to one card: the other gets one of its own. */
function backingAgain(backing: XmlElement | undefined): XmlFields | undefined {
  const text = (name: string) => (backing === undefined ? undefined : childText(backing, name))
  switch (backing?.type) {
    case 'VirtualEthernetCardNetworkBackingInfo': {
      const network = child(backing, 'network')
      return standardBacking(text('deviceName'), network === undefined ? undefined : refOf(network))
    }
    case 'VirtualEthernetCardDistributedVirtualPortBackingInfo': {
      const port = child(backing, 'port')
      return port && distributedBacking(childText(port, 'switchUuid'), childText(port, 'portgroupKey'))
    }
    case 'VirtualEthernetCardOpaqueNetworkBackingInfo':
      return opaqueBacking(text('opaqueNetworkId'), text('opaqueNetworkType'))
    default:
      return undefined
  }
}

/** What connects a card to a network: by name to a standard one, by switch and port group to a distributed one, by id to one of NSX. */
export async function networkBacking(session: Session, network: Ref, name: string): Promise<XmlFields> {
  if (network.type === 'OpaqueNetwork') {
    const summary = (await retrieveOne(session, network, ['summary']))?.get('summary')
    if (summary === undefined) throw NotThere({ what: 'network', name })
    return opaqueBacking(childText(summary, 'opaqueNetworkId'), childText(summary, 'opaqueNetworkType'))
  }
  if (network.type !== 'DistributedVirtualPortgroup') {
    // What was configured may be a path, or a name with a slash in it: only vCenter knows which.
    const written = (await retrieveOne(session, network, ['name']))?.get('name')?.text
    if (written === undefined) throw NotThere({ what: 'network', name })
    return standardBacking(readName(written), network)
  }
  const portgroup = await retrieveOne(session, network, ['key', 'config.distributedVirtualSwitch'])
  const dvs = portgroup?.get('config.distributedVirtualSwitch')
  const uuid = dvs === undefined ? undefined : (await retrieveOne(session, refOf(dvs), ['uuid']))?.get('uuid')?.text
  const portgroupKey = portgroup?.get('key')?.text
  if (uuid === undefined || portgroupKey === undefined) throw NotThere({ what: 'distributed network', name })
  return distributedBacking(uuid, portgroupKey)
}

function standardBacking(deviceName: string | undefined, network: Ref | undefined): XmlFields {
  return typed('VirtualEthernetCardNetworkBackingInfo', { deviceName, network: network && reference(network) })
}

function distributedBacking(switchUuid: string | undefined, portgroupKey: string | undefined): XmlFields {
  return typed('VirtualEthernetCardDistributedVirtualPortBackingInfo', { port: { switchUuid, portgroupKey } })
}

function opaqueBacking(opaqueNetworkId: string | undefined, opaqueNetworkType: string | undefined): XmlFields {
  return typed('VirtualEthernetCardOpaqueNetworkBackingInfo', { opaqueNetworkId, opaqueNetworkType })
}

/**
 * The device changes that give a clone the wanted card: the template's first card is edited, or replaced if it is of another type.
 * Further cards stay as they are. Without a `network` the card stays on the one of the template, and what is so already is left alone.
 */
export function cardChanges(
  card: NetworkSettings['card'],
  network: XmlFields | undefined,
  first: TemplateCard | undefined,
): readonly XmlFields[] {
  const type = cardTypes[card]
  const backing = network ?? (first?.type === type ? undefined : first?.backing)
  if (backing === undefined) return []
  if (first?.type === type) return [{ operation: 'edit', device: cardDevice(type, first.key, backing, first) }]
  const added = { operation: 'add', device: cardDevice(type, -1, backing, first) }
  return first === undefined ? [added] : [{ operation: 'remove', device: cardDevice(first.type, first.key, undefined, first) }, added]
}

function cardDevice(type: string, key: number, backing: XmlFields | undefined, place: TemplateCard | undefined): XmlFields {
  return typed(type, {
    key,
    backing,
    connectable: backing === undefined ? undefined : { startConnected: true, allowGuestControl: true, connected: false },
    controllerKey: place?.controllerKey,
    unitNumber: place?.unitNumber,
    addressType: backing === undefined ? undefined : 'generated',
    wakeOnLanEnabled: backing === undefined ? undefined : true,
  })
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}
