import type { Vm } from './platform.ts'

/** Under which values a VM is found. */
export type VmValues = (vm: Vm) => readonly string[]

/** VMs by the values of one function of them. */
export class VmIndex {
  readonly values: VmValues
  readonly #ids = new Map<string, Set<string>>()

  constructor(values: VmValues) {
    this.values = values
  }

  add(vm: Vm): void {
    for (const value of this.values(vm)) {
      const ids = this.#ids.get(value)
      if (ids === undefined) this.#ids.set(value, new Set([vm.id]))
      else ids.add(vm.id)
    }
  }

  remove(vm: Vm): void {
    for (const value of this.values(vm)) {
      const ids = this.#ids.get(value)
      ids?.delete(vm.id)
      if (ids?.size === 0) this.#ids.delete(value)
    }
  }

  ids(value: string): Iterable<string> {
    return this.#ids.get(value) ?? []
  }
}
