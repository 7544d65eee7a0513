import type { Vm, VmChange } from '../../platform/index.ts'
import { isProvisionName } from './fleet-index.ts'
import { readWorkerNote } from './worker-note.ts'

/**
 * A hatchery's VMs that went off before the eyes of this process, after they were on as workers: they are done. Of one that is off and
 * was never seen otherwise nobody knows that: an earlier run may have claimed it and asked for it to be switched on right before its end.
 */
export class Finished {
  readonly #hatchery: string
  readonly #ids = new Set<string>()

  constructor(hatchery: string) {
    this.#hatchery = hatchery
  }

  apply({ old, now }: VmChange): void {
    const id = (now ?? old)?.id ?? ''
    if (now?.power !== 'off') this.#ids.delete(id)
    else if (old !== undefined && old.power !== 'off' && this.#isWorker(old)) this.#ids.add(id)
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** What stands ready, or is to become a template, is switched off on its way there. */
  #isWorker(vm: Vm): boolean {
    const note = readWorkerNote(vm)
    return note?.hatcheryName === this.#hatchery && !note.model && !isProvisionName(vm.name)
  }
}
