import type { Inventory } from '../../platform/index.ts'

/**
 * The process ids that starts of programs were answered with, by VM, for as long as it runs: a guest that boots counts from the
 * beginning again. After a lost answer these are known to be other runs than the one that is looked for.
 */
export class StartedPrograms {
  readonly #processes = new Map<string, Set<number>>()

  constructor(inventory: Inventory) {
    inventory.onChange(({ old, now }) => {
      if (old !== undefined && (now?.power !== 'on' || now.bootedAt !== old.bootedAt)) this.#processes.delete(old.id)
    })
  }

  add(vm: string, process: number): void {
    const known = this.#processes.get(vm)
    if (known === undefined) this.#processes.set(vm, new Set([process]))
    else known.add(process)
  }

  has(vm: string, process: number): boolean {
    return this.#processes.get(vm)?.has(process) === true
  }
}
