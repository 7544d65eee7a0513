import { type Capacity, type Flavor, type Size, type SizeLimits, sizeProblem } from '../../platform/index.ts'
import type { HatcherySettings } from '../settings.ts'
import type { Refusal } from './verdict.ts'

/** What there is to be had, and what is taken. */
export interface Room {
  /** What own VMs take, and what is under way. */
  readonly allocated: Size
  /** What of this is under way, so that the resource pool does not show it yet. */
  readonly coming: Size
  /** The resource pool; undefined if it cannot be asked. */
  readonly pool: Capacity | undefined
}

type Limits = Pick<HatcherySettings, 'maxCpus' | 'maxMemoryMB' | 'countSmallerFlavorToKeep' | 'flavors'>

/**
 * Whether there is room for a worker of that size (hatchery §12, §13.4, §13.5): in the resource pool, then within the limits of the
 * configuration, a large flavor leaving room for smaller ones. A pool that cannot be asked is passed over.
 */
export function canAllocate(
  size: Size,
  flavor: Flavor | undefined,
  { allocated, coming, pool }: Room,
  limits: Limits,
): Refusal | undefined {
  if (pool !== undefined) {
    const full = poolProblem(size, coming, pool)
    if (full !== undefined) {
      return refuse('ResourcePoolFull', full, 'it goes on when VMs are switched off; raise the limit of the resource pool, or add hosts')
    }
  }
  const { maxCpus, maxMemoryMB, countSmallerFlavorToKeep } = limits
  const problem = (limit: Partial<SizeLimits>) => sizeProblem(size, allocated, { maxCpus: 0, maxMemoryMB: 0, ...limit })
  const tooManyCpus = problem({ maxCpus })
  if (tooManyCpus !== undefined) {
    return refuse('MaxCpusReached', tooManyCpus, howToAllow('maxCpus', maxCpus, size.cpus))
  }
  const keepCpus = flavor === undefined ? 0 : countSmallerFlavorToKeep * (limits.flavors.smallerCpus(flavor) ?? 0)
  const starving = problem({ maxCpus, keepCpus })
  if (starving !== undefined) {
    const how = howToAllow('maxCpus', maxCpus, size.cpus + keepCpus)
    return refuse('KeptForSmallerFlavors', starving, `${how}; or lower countSmallerFlavorToKeep below ${countSmallerFlavorToKeep}`)
  }
  const tooMuchMemory = problem({ maxMemoryMB })
  if (tooMuchMemory === undefined) return undefined
  return refuse('MaxMemoryReached', tooMuchMemory, howToAllow('maxMemoryMB', maxMemoryMB, size.memoryMB))
}

/** Whether waiting helps, and if not, what does: what needs more than the whole limit starts on no empty vCenter either. */
function howToAllow(setting: string, limit: number, needed: number): string {
  if (needed <= limit) return `it goes on when workers end; to allow more, raise ${setting} above ${limit}`
  return `waiting does not help: raise ${setting} from ${limit} to ${needed} or more, or ask for a smaller flavor`
}

function poolProblem(size: Size, coming: Size, { cpuMHz, memoryMB }: Capacity): string | undefined {
  if (cpuMHz.unreserved <= 0) return `the resource pool has no CPU left that is not reserved (${cpuMHz.unreserved} MHz)`
  if (memoryMB.unreserved >= size.memoryMB + coming.memoryMB) return undefined
  const others = coming.memoryMB === 0 ? '' : `, and ${coming.memoryMB} MB are for VMs that are being started`
  return `${size.memoryMB} MB of memory are wanted, ${Math.floor(memoryMB.unreserved)} MB of the resource pool are not reserved${others}`
}

function refuse(reason: string, message: string, unblock: string): Refusal {
  return { gate: 'Resources', reason, message, unblock }
}
