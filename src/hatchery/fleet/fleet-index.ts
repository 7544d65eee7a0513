import type { Vm } from '../../platform/index.ts'
import { readWorkerNote, type WorkerNote } from './worker-note.ts'

/** A VM that carries a hatchery's note. */
export interface FleetVm {
  readonly vm: Vm
  readonly note: WorkerNote
}

/** The name of the inventory's index below. */
export const fleetIndex = 'hatchery'

/** How VMs of hatcheries are found in the inventory. Values of different sorts, or with different parts, are never alike. */
export const fleetKey = {
  /** Every VM of a hatchery that is neither template nor meant to become one. */
  owner: (hatchery: string) => `owner\n${hatchery}`,
  /** Templates of worker models, finished (a template) or in the making. */
  models: (hatchery: string) => `models\n${hatchery}`,
  /** The finished template of a worker model, by name. */
  modelTemplate: (name: string) => `modelTemplate\n${name}`,
  job: (id: string) => `job\n${id}`,
  provisions: (hatchery: string, version: 1 | 2) => `provisions\n${hatchery}\n${version}`,
  provision: (hatchery: string, version: 1 | 2, model: string) => `provision\n${hatchery}\n${version}\n${model}`,
  /** VMs that register a V1 worker model, by its `group/name`. */
  registering: (path: string) => `registering\n${path}`,
}

/** Under which keys a VM is found; the one function of all hatcheries, whatever their names, so that they can share an inventory. */
export function fleetKeys(vm: Vm): readonly string[] {
  const note = readWorkerNote(vm)
  if (note === undefined) return []
  if (note.model) {
    const models = fleetKey.models(note.hatcheryName)
    return vm.template ? [models, fleetKey.modelTemplate(vm.name)] : [models]
  }
  if (vm.template) return []
  const keys = [fleetKey.owner(note.hatcheryName)]
  if (note.jobId !== '') keys.push(fleetKey.job(note.jobId))
  if (note.registerOnly) keys.push(fleetKey.registering(note.workerModelPath))
  const version = provisionVersion({ vm, note })
  if (version !== undefined) {
    keys.push(fleetKey.provisions(note.hatcheryName, version))
    keys.push(fleetKey.provision(note.hatcheryName, version, provisionModel(note, version)))
  }
  return keys
}

/** Whether a VM is named as one that stands ready, or is to. Such a VM is no worker, whatever its note says. */
export function isProvisionName(name: string): boolean {
  return name.startsWith('provision-')
}

/** Whether a VM that is to stand ready was on once, so that its guest is set up: only then does its note say when it was made. */
export function isWhole({ note }: Pick<FleetVm, 'note'>): boolean {
  return note.created !== undefined
}

/** For which sort of models a VM stands ready, or is to; undefined if it does not. */
export function provisionVersion({ vm, note }: FleetVm): 1 | 2 | undefined {
  if (!note.provisioning) return undefined
  if (vm.name.startsWith('provision-v2')) return 2
  return vm.name.startsWith('provision-v1') ? 1 : undefined
}

/** What a VM stands ready for: V1 `group/name` of the worker model, V2 the name of the template. */
export function provisionModel(note: WorkerNote, version: 1 | 2): string {
  return version === 1 ? note.workerModelPath : note.vmwareModelPath
}
