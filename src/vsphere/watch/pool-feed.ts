import type { Capacity } from '../../platform/index.ts'
import type { ObjectUpdate, Properties, Selection } from '../vim/property-collector.ts'
import { childText, type XmlElement } from '../xml/element.ts'
import type { Ref } from '../xml/writer.ts'
import type { Watched } from './property-watch.ts'

/** What is read of a resource pool. */
export const poolPaths: readonly string[] = ['runtime.cpu', 'runtime.memory']

/** Keeps what the usual resource pool has left. */
export class PoolFeed implements Watched {
  readonly #pool: () => Promise<Ref>
  readonly #values = new Map<string, XmlElement>()

  constructor(pool: () => Promise<Ref>) {
    this.#pool = pool
  }

  /** Undefined until it is known. */
  get capacity(): Capacity | undefined {
    return capacityOf(this.#values)
  }

  async selection(): Promise<Selection> {
    return { type: 'ResourcePool', paths: poolPaths, from: await this.#pool() }
  }

  begin(): void {}

  update({ changes }: ObjectUpdate): void {
    for (const [path, value] of changes) if (value !== undefined) this.#values.set(path, value)
  }

  complete(): void {}
}

/** What the properties of a resource pool say about its room; undefined if they say nothing. */
export function capacityOf(properties: Properties): Capacity | undefined {
  const cpu = properties.get('runtime.cpu')
  const memory = properties.get('runtime.memory')
  if (cpu === undefined || memory === undefined) return undefined
  return { cpuMHz: usage(cpu, 1), memoryMB: usage(memory, 1024 * 1024) }
}

function usage(element: XmlElement, unit: number) {
  const amount = (name: string) => Math.floor(Number(childText(element, name) ?? 0) / unit)
  const most = Number(childText(element, 'maxUsage') ?? -1)
  // Below zero means that there is no limit.
  return { limit: most < 0 ? undefined : Math.floor(most / unit), unreserved: amount('unreservedForVm'), used: amount('overallUsage') }
}
