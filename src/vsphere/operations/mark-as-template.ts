import type { Vm } from '../../platform/index.ts'
import type { VsphereConnection } from '../connection.ts'
import { isUnanswered } from '../soap/unanswered.ts'
import { answered } from './carry-out.ts'
import { knownVm, readVm, vmRef, wrote } from './vm-access.ts'

const mostTries = 3

/** Turns a VM that is off into a template. Not a task: vCenter answers when it is done, and refuses a second time. */
export async function markAsTemplate(connection: VsphereConnection, id: string, signal: AbortSignal): Promise<Vm> {
  await connection.live(signal)
  const known = knownVm(connection, id)
  if (known.template) return known
  for (let attempt = 1; ; attempt++) {
    try {
      await connection.session.call('MarkAsTemplate', vmRef(id), {}, { signal })
      break
    } catch (error) {
      signal.throwIfAborted()
      // Whatever the error: what counts is what the VM is now.
      const now = await answered(connection, () => readVm(connection, id, signal), signal)
      if (now?.template === true) break
      if (!isUnanswered(error) || attempt === mostTries) throw error
    }
  }
  return wrote(connection, id, { template: true }, signal)
}
