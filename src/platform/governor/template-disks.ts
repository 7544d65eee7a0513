import type { CloneRequest, Platform } from '../platform.ts'
import { templateAmong } from '../template-among.ts'

/**
 * Knows which clones copy the whole disk of their template: those that are not to be linked, and those that want a larger disk than
 * the template has, because one that is shared cannot grow. The disk of each template is asked for once, by the first who wants one,
 * and again when the template was a VM in between: only then it can have been changed.
 */
export class TemplateDisks {
  readonly #platform: Platform
  readonly #sizes = new Map<string, Promise<number>>()

  constructor(platform: Platform) {
    this.#platform = platform
    platform.inventory.onChange(({ old, now }) => {
      if (old !== undefined && old.template !== now?.template) this.#sizes.delete(old.id)
    })
  }

  /** A promise only where the size of the template's disk decides. */
  isFullClone({ linked, diskGB, template }: CloneRequest, signal: AbortSignal): boolean | Promise<boolean> {
    if (linked === false || diskGB === undefined) return linked === false
    return this.#sizeOf(template, signal).then(size => diskGB > size)
  }

  /** What is not known counts as nothing: a clone that is taken for a full one waits longer, the other way round the host suffers. */
  async #sizeOf(name: string, signal: AbortSignal): Promise<number> {
    const { inventory } = this.#platform
    if (inventory.state.kind !== 'live') return 0
    const template = templateAmong(inventory.byName(name))
    if (template?.template !== true) return 0
    const { id } = template
    let size = this.#sizes.get(id)
    if (size === undefined) {
      size = this.#platform.diskGB(id, signal).then(gib => gib ?? 0)
      this.#sizes.set(id, size)
      size.catch(() => this.#sizes.delete(id))
    }
    return size.catch(() => 0)
  }
}
