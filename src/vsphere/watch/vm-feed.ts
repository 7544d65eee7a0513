import type { IndexedInventory } from '../../platform/index.ts'
import type { ObjectUpdate, Selection } from '../vim/property-collector.ts'
import type { Watched } from './property-watch.ts'
import { changedRecord, emptyRecord, unreadable, vmPaths, type VmRecord } from './vm-record.ts'
import type { Ref } from '../xml/writer.ts'

/** Paints the inventory from what the watch reports: everything in one step at first and after an interruption, then each change. */
export class VmFeed implements Watched {
  readonly #inventory: IndexedInventory
  readonly #view: () => Promise<Ref>
  #records = new Map<string, VmRecord>()
  #live = false

  /** `view` makes the container view that holds all VMs. */
  constructor(inventory: IndexedInventory, view: () => Promise<Ref>) {
    this.#inventory = inventory
    this.#view = view
  }

  async selection(): Promise<Selection> {
    return { type: 'VirtualMachine', paths: vmPaths, from: await this.#view(), through: 'view' }
  }

  begin(): void {
    // The inventory keeps the old picture until the new one is complete.
    this.#records = new Map()
    this.#live = false
  }

  update({ ref, kind, changes }: ObjectUpdate): void {
    if (kind === 'leave') {
      this.#records.delete(ref.id)
      if (this.#live) this.#inventory.drop(ref.id)
      return
    }
    const before = kind === 'modify' ? this.#records.get(ref.id) : undefined
    const now = changedRecord(before ?? emptyRecord(ref.id), changes)
    const last = before === undefined && now.unfinished ? this.#inventory.lastKnown(ref.id) : undefined
    const record = last === undefined ? now : unreadable(now, last)
    this.#records.set(ref.id, record)
    if (this.#live) this.#inventory.put(record.vm)
  }

  complete(): void {
    this.#live = true
    this.#inventory.replace(Array.from(this.#records.values(), record => record.vm))
  }

  /** Whether vCenter is still making the VM. */
  isUnfinished(id: string): boolean {
    return this.#records.get(id)?.unfinished === true
  }
}
