import { NotThere, type Vm } from '../../platform/index.ts'
import type { VsphereConnection } from '../connection.ts'
import { isFault } from '../soap/session.ts'
import { retrieveOne } from '../vim/property-collector.ts'
import { changedRecord, emptyRecord, vmPaths } from '../watch/vm-record.ts'
import type { Ref } from '../xml/writer.ts'

/** The reference of a VM. */
export function vmRef(id: string): Ref {
  return { type: 'VirtualMachine', id }
}

/** The VM as the inventory has it. Throws NotThere, or InventoryNotLive. */
export function knownVm({ inventory }: VsphereConnection, id: string): Vm {
  const vm = inventory.byId(id)
  if (vm === undefined) throw NotThere({ what: 'VM', name: id })
  return vm
}

/** The VM as vCenter has it this moment; undefined if it is gone. Costs a call. */
export async function readVm({ session }: VsphereConnection, id: string, signal: AbortSignal): Promise<Vm | undefined> {
  try {
    const properties = await retrieveOne(session, vmRef(id), vmPaths, signal)
    return properties === undefined || properties.size === 0 ? undefined : changedRecord(emptyRecord(id), properties).vm
  } catch (error) {
    if (isFault(error, 'ManagedObjectNotFound')) return undefined
    throw error
  }
}

/** Puts what this program has just done into the inventory, ahead of the watch. */
export async function wrote(connection: VsphereConnection, id: string, change: Partial<Vm>, signal: AbortSignal): Promise<Vm> {
  const { inventory } = connection
  const old = inventory.lastKnown(id) ?? (await readVm(connection, id, signal))
  if (old === undefined) throw NotThere({ what: 'VM', name: id })
  const vm: Vm = Object.freeze({ ...old, ...change })
  inventory.wrote(vm)
  return vm
}
