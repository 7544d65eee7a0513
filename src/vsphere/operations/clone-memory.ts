import type { VsphereConnection } from '../connection.ts'
import { firstDiskOf } from '../vim/disk.ts'
import { cardsOf, networkBacking, type TemplateCard } from '../vim/network-card.ts'
import { refOf, retrieveOne } from '../vim/property-collector.ts'
import type { Ref, XmlFields } from '../xml/writer.ts'
import { vmRef } from './vm-access.ts'

/** What clones need to know of a template. */
export interface TemplateFacts {
  readonly cards: readonly TemplateCard[]
  /** The snapshot that linked clones hang on. */
  readonly snapshot: Ref | undefined
  readonly diskGB: number
  readonly coresPerSocket: number
}

/**
 * What clones need to know of templates and networks, read once each. A template can only be changed while it is a VM, so it is read
 * again when it has been one, and everything when the watch has begun anew and may have missed that.
 */
export class CloneMemory {
  readonly #connection: VsphereConnection
  readonly #templates = new Map<string, Promise<TemplateFacts>>()
  readonly #networks = new Map<string, Promise<XmlFields>>()
  #rebuilds = 0

  constructor(connection: VsphereConnection) {
    this.#connection = connection
    connection.inventory.onChange(({ old, now }) => {
      if (old !== undefined && old.template !== now?.template) this.#templates.delete(old.id)
    })
  }

  /** The facts of a template, by its id. */
  template(id: string): Promise<TemplateFacts> {
    return this.#once(this.#templates, id, () => this.#readTemplate(id))
  }

  /** What connects a card to the network of that name. */
  network(name: string): Promise<XmlFields> {
    const { session, places } = this.#connection
    return this.#once(this.#networks, name, async () => networkBacking(session, await places.find('network', name), name))
  }

  /** What was read may be what was wrong. */
  forget(): void {
    this.#templates.clear()
    this.#networks.clear()
  }

  /** Nobody can abort it: others may wait for the same. */
  #once<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
    const { rebuilds } = this.#connection.watch
    if (rebuilds !== this.#rebuilds) this.forget()
    this.#rebuilds = rebuilds
    const before = known.get(key)
    if (before !== undefined) return before
    const reading = read()
    known.set(key, reading)
    reading.catch(() => known.get(key) === reading && known.delete(key))
    return reading
  }

  async #readTemplate(id: string): Promise<TemplateFacts> {
    const paths = ['config.hardware.device', 'config.hardware.numCoresPerSocket', 'snapshot.currentSnapshot']
    const properties = await retrieveOne(this.#connection.session, vmRef(id), paths)
    const snapshot = properties?.get('snapshot.currentSnapshot')
    const devices = properties?.get('config.hardware.device')
    return {
      cards: cardsOf(devices),
      snapshot: snapshot === undefined ? undefined : refOf(snapshot),
      diskGB: firstDiskOf(devices)?.sizeGB ?? 0,
      coresPerSocket: Number(properties?.get('config.hardware.numCoresPerSocket')?.text ?? 1),
    }
  }
}
