import type { VsphereConnection } from '../connection.ts'
import { isFault } from '../soap/session.ts'
import { NotThere } from '../../platform/index.ts'
import { carryOut } from './carry-out.ts'
import { setPower } from './power.ts'
import { readVm, vmRef } from './vm-access.ts'

/** Powers a VM off and removes it with its disks; a VM that is gone already is removed. */
export async function destroyVm(connection: VsphereConnection, id: string, signal: AbortSignal, timeout: number): Promise<void> {
  const { inventory } = connection
  await connection.live(signal)
  const known = inventory.byId(id)
  if (known === undefined) return
  for (let attempt = 1; ; attempt++) {
    try {
      if (!known.template) await setPower(connection, id, 'off', signal, timeout)
      await carryOut(
        connection,
        {
          method: 'Destroy_Task',
          on: vmRef(id),
          target: `${known.name} (${id})`,
          timeout,
          shows: () => inventory.byId(id) === undefined,
          done: async () => true,
          look: async limit => ((await readVm(connection, id, limit)) === undefined ? true : undefined),
        },
        signal,
      )
    } catch (error) {
      // Powered on in between by somebody else.
      if (isFault(error, 'InvalidPowerState') && attempt < 3) {
        const now = await readVm(connection, id, signal)
        if (now !== undefined) inventory.wrote(now)
        continue
      }
      if (!isFault(error, 'ManagedObjectNotFound') && !NotThere.is(error)) throw error
    }
    inventory.removed(id)
    return
  }
}
