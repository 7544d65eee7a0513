import type { Vm } from '../../../src/platform/index.ts'
import type { Vcenter } from '../vsphere/vcenter.ts'

/** Looks on which VMs of hatcheries there are, from the beginning on. */
export class Standing {
  readonly #other: Vcenter
  /** VMs that were on at some time: a clone that never was is off as well, and not ready yet. */
  readonly #booted = new Set<string>()

  constructor(other: Vcenter) {
    this.#other = other
    other.platform.inventory.onChange(({ now }) => {
      if (now?.power === 'on') this.#booted.add(now.id)
    })
  }

  /** VMs that hatcheries made, as somebody else sees them. */
  vms(): readonly Vm[] {
    return Array.from(this.#other.platform.inventory.all()).filter(vm => vm.annotation.includes('"hatchery_name"'))
  }

  /** VMs that stand ready. */
  ready(): readonly Vm[] {
    return this.vms().filter(({ id, name, power }) => name.startsWith('provision-') && power === 'off' && this.#booted.has(id))
  }

  /** VMs of workers, and of templates in the making. */
  workers(): readonly Vm[] {
    return this.vms().filter(({ name, template }) => !template && !name.startsWith('provision-'))
  }
}
