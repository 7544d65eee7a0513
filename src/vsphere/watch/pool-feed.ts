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
  #cpu: Usage | undefined
  #memory: Usage | undefined

  constructor(pool: () => Promise<Ref>) {
    this.#pool = pool
  }

  /** Undefined until it is known. */
  get capacity(): Capacity | undefined {
    return this.#cpu === undefined || this.#memory === undefined ? undefined : { cpuMHz: this.#cpu, memoryMB: this.#memory }
  }

  async selection(): Promise<Selection> {
    return { type: 'ResourcePool', paths: poolPaths, from: await this.#pool() }
  }

  begin(): void {}

  update({ changes }: ObjectUpdate): void {
    this.#cpu = cpuOf(changes) ?? this.#cpu
    this.#memory = memoryOf(changes) ?? this.#memory
  }

  complete(): void {}
}

type Usage = Capacity['cpuMHz']

/** What the properties of a resource pool say about its room; undefined if they say nothing. */
export function capacityOf(properties: Properties): Capacity | undefined {
  const [cpuMHz, memoryMB] = [cpuOf(properties), memoryOf(properties)]
  return cpuMHz === undefined || memoryMB === undefined ? undefined : { cpuMHz, memoryMB }
}

function cpuOf(properties: ObjectUpdate['changes']): Usage | undefined {
  return usage(properties.get('runtime.cpu'), 1)
}

function memoryOf(properties: ObjectUpdate['changes']): Usage | undefined {
  return usage(properties.get('runtime.memory'), 1024 * 1024)
}

function usage(element: XmlElement | undefined, unit: number): Usage | undefined {
  if (element === undefined) return undefined
  // Not rounded: metrics show what vCenter says to the byte.
  const amount = (name: string) => Number(childText(element, name) ?? 0) / unit
  const most = Number(childText(element, 'maxUsage') ?? -1)
  // Below zero means that there is no limit.
  return { limit: most < 0 ? undefined : most / unit, unreserved: amount('unreservedForVm'), used: amount('overallUsage') }
}
