import { readNote, type Vm } from '../../platform/index.ts'
import type { VsphereConnection } from '../connection.ts'
import { carryOut } from './carry-out.ts'
import { knownVm, readVm, vmRef, wrote } from './vm-access.ts'

/** Replaces the annotation of a VM, whether it is on or off. */
export async function annotateVm(
  connection: VsphereConnection,
  id: string,
  annotation: string,
  signal: AbortSignal,
  timeout: number,
): Promise<Vm> {
  const { inventory } = connection
  await connection.live(signal)
  const known = knownVm(connection, id)
  if (known.annotation === annotation) return known
  const change = { annotation, note: readNote(annotation) }
  return carryOut(
    connection,
    {
      method: 'ReconfigVM_Task',
      on: vmRef(id),
      args: { spec: { annotation } },
      target: `${known.name} (${id})`,
      timeout,
      shows: () => inventory.byId(id)?.annotation === annotation,
      done: (_, limit) => wrote(connection, id, change, limit),
      look: async limit =>
        (await readVm(connection, id, limit))?.annotation === annotation ? wrote(connection, id, change, limit) : undefined,
    },
    signal,
  )
}
