import { readWorkerNote, type WorkerNote, writeWorkerNote } from '../fleet/worker-note.ts'
import type { CloneRequest, Flavor, HeldAddress, Size } from '../../platform/index.ts'
import type { HatcherySettings } from '../settings.ts'

/** What is made of which template. */
export interface CloneOptions {
  readonly settings: Pick<HatcherySettings, 'vsphere'>
  readonly name: string
  readonly template: string
  /** Everything but the address, which comes from `address`. */
  readonly note: WorkerNote
  /** Undefined: as the template is. */
  readonly size: (Size & Pick<Flavor, 'diskSizeGB'>) | undefined
  readonly address: Pick<HeldAddress, 'address' | 'guest'>
}

/**
 * The request that makes a VM of this hatchery: a linked clone in the configured place, with its first card on the configured
 * network, its guest's name and address, and the note by which everybody sees whose it is. It is not switched on by it.
 */
export function cloneRequest({ settings, name, template, note, size, address }: CloneOptions): CloneRequest {
  const { network, card, resourcePool, datastore } = settings.vsphere
  const full = { ...note, ipAddress: address.address ?? '' }
  return {
    name,
    template,
    annotation: writeWorkerNote(full),
    linked: true,
    ...(size !== undefined && { cpus: size.cpus, memoryMB: size.memoryMB }),
    ...(size?.diskSizeGB !== undefined && { diskGB: size.diskSizeGB }),
    ...(network !== undefined && { network: { network, card } }),
    guest: { hostName: name, domain: '', address: address.guest },
    ...(resourcePool !== undefined && { resourcePool }),
    ...(datastore !== undefined && { datastore }),
    toolsAfterPowerOn: true,
    isOurs: vm => {
      const found = readWorkerNote(vm)
      return found?.hatcheryName === note.hatcheryName && found.workerName === note.workerName && found.jobId === note.jobId
    },
  }
}
