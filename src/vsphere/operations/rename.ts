import { NameTaken, type Vm } from '../../platform/index.ts'
import type { VsphereConnection } from '../connection.ts'
import { isFault } from '../soap/session.ts'
import { writtenName } from '../vim/object-name.ts'
import { carryOut } from './carry-out.ts'
import { knownVm, readVm, vmRef, wrote } from './vm-access.ts'

/** Gives a VM or a template another name. A task of its own: templates take no reconfigure, and whoever only renames needs no more. */
export async function renameVm(connection: VsphereConnection, id: string, name: string, signal: AbortSignal, timeout: number): Promise<Vm> {
  const { inventory } = connection
  await connection.live(signal)
  const known = knownVm(connection, id)
  if (known.name === name) return known
  // vCenter refuses a second one in the same folder only, but people and DNS know no folders.
  if (inventory.byName(name).some(vm => vm.id !== id)) throw NameTaken({ name })
  try {
    return await carryOut(
      connection,
      {
        method: 'Rename_Task',
        on: vmRef(id),
        args: { newName: writtenName(name) },
        target: `${known.name} (${id})`,
        timeout,
        shows: () => inventory.byId(id)?.name === name,
        done: (_, limit) => wrote(connection, id, { name }, limit),
        look: async limit => ((await readVm(connection, id, limit))?.name === name ? wrote(connection, id, { name }, limit) : undefined),
      },
      signal,
    )
  } catch (error) {
    throw isFault(error, 'DuplicateName') ? NameTaken({ name }, { cause: error }) : error
  }
}
