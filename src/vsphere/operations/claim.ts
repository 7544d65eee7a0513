import { ClaimLost, NameTaken, NotThere, readNote, type ClaimRequest, type Vm } from '../../platform/index.ts'
import type { VsphereConnection } from '../connection.ts'
import { isFault } from '../soap/session.ts'
import { coresPerSocket } from '../vim/cores-per-socket.ts'
import { firstDiskOf, growth } from '../vim/disk.ts'
import { writtenName } from '../vim/object-name.ts'
import { retrieveOne } from '../vim/property-collector.ts'
import { changedRecord, emptyRecord } from '../watch/vm-record.ts'
import { answered, carryOut } from './carry-out.ts'
import { knownVm, readVm, vmRef, wrote } from './vm-access.ts'

/** How often the claim is tried again when the VM was changed in between by somebody who did not take it. */
const mostTries = 3

/**
 * Renames, marks and resizes a VM in one task. Not Rename_Task besides: a reconfigure carries name, notes and CPU together, and is
 * one lost answer instead of three. The version of the configuration that was read goes with it, so that of two programs that claim
 * one VM at the same moment vCenter itself refuses the second.
 */
export async function claimVm(connection: VsphereConnection, request: ClaimRequest, signal: AbortSignal, timeout: number): Promise<Vm> {
  const { inventory } = connection
  await connection.live(signal)
  const { id, name, annotation, cpus, memoryMB, diskGB } = request
  const known = knownVm(connection, id)
  if (isClaimed(known, request)) return known
  mustBeClaimable(known, request, known)
  if (inventory.byName(name).some(vm => vm.id !== id)) throw NameTaken({ name })
  for (let attempt = 1; ; attempt++) {
    // Asked anew, because the watch may be late, and together with the version that makes the answer binding.
    const now = await answered(connection, () => readVersion(connection, request, signal), signal)
    if (now === undefined) throw NotThere({ what: 'VM', name: request.expectedName })
    mustBeClaimable(now, request, known)
    const larger = diskGB === undefined ? undefined : growth(now.disk, diskGB, request.expectedName)
    const spec = {
      changeVersion: now.version === '' ? undefined : now.version,
      name: writtenName(name),
      annotation,
      numCPUs: cpus,
      numCoresPerSocket: coresPerSocket(cpus, now.coresPerSocket),
      memoryMB,
      deviceChange: larger === undefined ? undefined : [larger],
    }
    const change = {
      name,
      annotation,
      note: readNote(annotation),
      ...(cpus !== undefined && { cpus }),
      ...(memoryMB !== undefined && { memoryMB }),
    }
    try {
      return await carryOut(
        connection,
        {
          method: 'ReconfigVM_Task',
          on: vmRef(id),
          args: { spec },
          target: `${known.name} (${id})`,
          timeout,
          // The size of a disk does not show, so then the task itself must be seen to end.
          ...(larger === undefined && { shows: () => isClaimed(inventory.byId(id), request) }),
          done: (_, limit) => wrote(connection, id, change, limit),
          look: async limit => {
            const there = await readVm(connection, id, limit)
            if (!isClaimed(there, request)) return undefined
            return wrote(connection, id, change, limit)
          },
        },
        signal,
      )
    } catch (error) {
      const lost = (why: string) => ClaimLost({ name: request.expectedName, why }, { cause: error })
      if (isFault(error, 'InvalidPowerState')) throw lost('it is powered on')
      if (!isFault(error, 'ConcurrentAccess')) throw error
      const changed = await answered(connection, () => readVm(connection, id, signal), signal)
      if (changed === undefined) throw lost('it is gone')
      // By ourselves: the first call was late, not lost, and this is the second that refers to the version before it.
      if (isClaimed(changed, request)) return wrote(connection, id, change, signal)
      if (attempt === mostTries) throw lost('others keep changing it')
      // What else has changed is asked anew.
    }
  }
}

/** What decides about a claim, and the version of the configuration that it belongs to. */
async function readVersion({ session }: VsphereConnection, { id, cpus, diskGB }: ClaimRequest, signal: AbortSignal) {
  const paths = [
    'name',
    'runtime.powerState',
    'config.annotation',
    'config.changeVersion',
    ...(cpus === undefined ? [] : ['config.hardware.numCoresPerSocket']),
    ...(diskGB === undefined ? [] : ['config.hardware.device']),
  ]
  const properties = await retrieveOne(session, vmRef(id), paths, signal)
  if (properties === undefined) return undefined
  const { name, power, annotation } = changedRecord(emptyRecord(id), properties).vm
  return {
    name,
    power,
    annotation,
    disk: firstDiskOf(properties.get('config.hardware.device')),
    coresPerSocket: Number(properties.get('config.hardware.numCoresPerSocket')?.text ?? 1),
    version: properties.get('config.changeVersion')?.text ?? '',
  }
}

function isClaimed(vm: Vm | undefined, { name, annotation, cpus, memoryMB }: ClaimRequest): boolean {
  if (vm === undefined) return false
  return vm.name === name && vm.annotation === annotation && (cpus ?? vm.cpus) === vm.cpus && (memoryMB ?? vm.memoryMB) === vm.memoryMB
}

/** `known` is what the decision to claim it rests on. */
function mustBeClaimable(vm: Pick<Vm, 'name' | 'power' | 'annotation'>, { expectedName, name, annotation }: ClaimRequest, known: Vm): void {
  const lost = (why: string) => ClaimLost({ name: expectedName, why })
  // With the new name already: an earlier call got half way on a platform that takes several steps.
  if (vm.name !== expectedName && vm.name !== name) throw lost(`it is now called "${vm.name}"`)
  if (vm.power !== 'off') throw lost(`it is powered ${vm.power}`)
  // Who writes something else into it has taken it, or wants it left alone. Only what this claim itself writes is no sign of others.
  if (vm.annotation !== known.annotation && vm.annotation !== annotation) throw lost('its annotation was changed')
}
