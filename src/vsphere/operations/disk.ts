import type { Vm } from '../../platform/index.ts'
import type { VsphereConnection } from '../connection.ts'
import { firstDiskOf, growth, type FirstDisk } from '../vim/disk.ts'
import { retrieveOne } from '../vim/property-collector.ts'
import { answered, carryOut } from './carry-out.ts'
import { vmRef } from './vm-access.ts'

/** The first disk of a VM as vCenter has it this moment. Not part of the inventory: it comes only with all other devices. */
export async function readDisk(connection: VsphereConnection, id: string, signal: AbortSignal): Promise<FirstDisk | undefined> {
  const read = () => retrieveOne(connection.session, vmRef(id), ['config.hardware.device'], signal)
  return firstDiskOf((await answered(connection, read, signal))?.get('config.hardware.device'))
}

/**
 * Makes the first disk of a VM that has not been started yet as large as wanted. A task of its own, after the clone: vCenter takes a
 * size in the clone call too, but only together with the name of a file that does not exist yet.
 */
export async function growDisk(connection: VsphereConnection, vm: Vm, wantedGB: number, signal: AbortSignal, timeout: number): Promise<Vm> {
  if (vm.power !== 'off') return vm
  const change = growth(await readDisk(connection, vm.id, signal), wantedGB, vm.name)
  if (change === undefined) return vm
  return carryOut(
    connection,
    {
      method: 'ReconfigVM_Task',
      on: vmRef(vm.id),
      args: { spec: { deviceChange: [change] } },
      target: `${vm.name} (${vm.id})`,
      timeout,
      done: async () => vm,
      look: async limit => (((await readDisk(connection, vm.id, limit))?.sizeGB ?? 0) >= wantedGB ? vm : undefined),
    },
    signal,
  )
}
