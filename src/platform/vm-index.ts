import type { Vm } from './platform.ts'

/** Under which values a VM is found. */
export type VmValues = (vm: Vm) => readonly string[]

/** VMs by the values of one function of them. */
export class VmIndex {
  readonly values: VmValues
  /** Most values belong to one VM: its id alone takes a tenth of the room of a set. */
  readonly #ids = new Map<string, string | Set<string>>()

  constructor(values: VmValues) {
    this.values = values
  }

  add(vm: Vm): void {
    for (const value of this.values(vm)) {
      const ids = this.#ids.get(value)
      if (ids === undefined) this.#ids.set(value, vm.id)
      else if (typeof ids !== 'string') ids.add(vm.id)
      else if (ids !== vm.id) this.#ids.set(value, new Set([ids, vm.id]))
    }
  }

  remove(vm: Vm): void {
    for (const value of this.values(vm)) {
      const ids = this.#ids.get(value)
      if (ids === vm.id) this.#ids.delete(value)
      if (ids === undefined || typeof ids === 'string') continue
      ids.delete(vm.id)
      if (ids.size === 0) this.#ids.delete(value)
    }
  }

  ids(value: string): Iterable<string> {
    const ids = this.#ids.get(value)
    return typeof ids === 'string' ? [ids] : (ids ?? [])
  }
}
