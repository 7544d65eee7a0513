import type { PlatformEvent } from '../../platform/index.ts'
import type { Session } from '../soap/session.ts'
import { timeOf } from './time.ts'
import { child, children, childText, type XmlElement } from '../xml/element.ts'
import { reference, type Ref } from '../xml/writer.ts'

const types: Readonly<Record<string, PlatformEvent['type']>> = {
  VmStartingEvent: 'started',
  VmPoweredOffEvent: 'poweredOff',
  VmRenamedEvent: 'renamed',
  VmCreatedEvent: 'created',
  VmClonedEvent: 'created',
  VmDeployedEvent: 'created',
  VmRemovedEvent: 'removed',
  // The guest could not be given its name or its address. Each cause is an event of its own, or since 7.0 a field of the first one.
  CustomizationFailed: 'notCustomized',
  CustomizationUnknownFailure: 'notCustomized',
  CustomizationNetworkSetupFailed: 'notCustomized',
  CustomizationLinuxIdentityFailed: 'notCustomized',
  CustomizationSysprepFailed: 'notCustomized',
}

/** What happened to an object, oldest first. */
export async function queryEvents(session: Session, entity: Ref, signal: AbortSignal): Promise<readonly PlatformEvent[]> {
  const { manager } = await session.content(signal)
  const filter = { entity: { entity: reference(entity), recursion: 'self' } }
  const answer = await session.call('QueryEvents', manager('eventManager'), { filter }, { signal })
  return children(answer, 'returnval')
    .map(element => ({ event: eventOf(element), key: Number(childText(element, 'key')) }))
    .toSorted((one, other) => one.event.time - other.event.time || one.key - other.key)
    .map(({ event }) => event)
}

function eventOf(element: XmlElement): PlatformEvent {
  const vm = child(element, 'vm')
  return {
    type: typeOf(element),
    vm: (vm === undefined ? undefined : childText(vm, 'vm')) ?? '',
    name: (vm === undefined ? undefined : childText(vm, 'name')) ?? '',
    time: timeOf(childText(element, 'createdTime')) ?? 0,
    message: childText(element, 'fullFormattedMessage') ?? '',
  }
}

function typeOf(element: XmlElement): PlatformEvent['type'] {
  const config = child(element, 'configSpec')
  // A claim renames by a reconfigure, and not every vCenter tells of the new name in an event of its own.
  if (element.type === 'VmReconfiguredEvent' && config !== undefined && child(config, 'name') !== undefined) return 'renamed'
  return types[element.type ?? ''] ?? 'other'
}
