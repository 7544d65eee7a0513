import type { GovernorLimits } from '../../platform/index.ts'
import type { Chance } from '../../ports/index.ts'
import type { WorldTemplate } from '../../simulation/index.ts'

/** VMs that are to stand ready, as the configuration names them. */
export interface PoolScene {
  readonly modelPath?: string
  readonly modelVMWare?: string
  readonly number: number
  readonly flavor?: string
}

/** What is particular about the configuration of one hatchery. */
export interface HatcheryScene {
  readonly name: string
  readonly maxWorker: number
  readonly maxConcurrentProvisioning: number
  readonly maxCpus: number
  readonly maxMemoryMB: number
  readonly countSmallerFlavorToKeep: number
  readonly maxAttempts: number
  readonly defaultFlavor: string | undefined
  readonly workerProvisioning: readonly PoolScene[]
  readonly poolSize: number
  /** Seconds between looks at pools and at VMs that are done. */
  readonly interval: number
  /** Seconds for which the VM of a worker is kept that is off and that CDS does not know. */
  readonly grace: number
  /** What it may do to vCenter at once. */
  readonly limits: Partial<GovernorLimits>
}

/** The templates that an operator has made. */
export const images: readonly WorldTemplate[] = [
  { name: 'debian12', cpus: 2, memoryMB: 4096 },
  { name: 'ubuntu22', cpus: 4, memoryMB: 4096 },
]

/** A template that a worker model names and nobody has made. */
export const missingImage = 'atlantis9'

/** The V1 worker model. */
export const v1Model = { name: 'debian', path: 'shared.infra/debian', image: 'debian12' }

/** The V2 worker model that V1 jobs get which name none. */
export const defaultModel = 'DEMO/forge/acme/workers/ubuntu'

/** Sizes that jobs may ask for. */
export const flavors = [
  { name: 'small', cpus: 2, memoryMB: 4096 },
  { name: 'medium', cpus: 4, memoryMB: 8192 },
  { name: 'large', cpus: 8, memoryMB: 16_384 },
]

/** What an operator has who writes down no limit and no interval. */
const documentedDefaults = {
  maxWorker: 10,
  maxConcurrentProvisioning: 10,
  maxCpus: 0,
  maxMemoryMB: 0,
  countSmallerFlavorToKeep: 0,
  maxAttempts: 5,
  defaultFlavor: undefined,
  poolSize: 1,
  interval: 120,
  grace: 180,
  limits: {},
}

/** The configuration of a hatchery. */
export function drawHatchery(name: string, chance: Chance): HatcheryScene {
  const drawn = drawLimits(name, chance)
  return chance.fraction() < 0.1 ? { ...drawn, ...documentedDefaults } : drawn
}

function drawLimits(name: string, chance: Chance): HatcheryScene {
  const maxWorker = chance.pick([0, 3, 5, 8])
  return {
    name,
    maxWorker,
    maxConcurrentProvisioning: Math.min(chance.pick([2, 3, 5]), maxWorker === 0 ? 5 : maxWorker),
    maxCpus: chance.pick([0, 0, 16, 24, 40]),
    maxMemoryMB: chance.pick([0, 0, 32_768, 65_536]),
    countSmallerFlavorToKeep: chance.pick([0, 0, 1, 2]),
    maxAttempts: chance.pick([3, 5, 5, 8]),
    defaultFlavor: chance.pick([undefined, 'small']),
    workerProvisioning: drawPools(chance),
    poolSize: chance.pick([1, 2, 0]),
    interval: chance.pick([30, 60]),
    grace: chance.pick([20, 180]),
    limits: chance.pick([{}, {}, {}, { total: 3 }, { perHost: 1 }]),
  }
}

/** Pools of at most five VMs together, so that every range has addresses for them and for jobs of other models. */
export function drawPools(chance: Chance): readonly PoolScene[] {
  const pools: PoolScene[] = []
  if (chance.fraction() < 0.6) pools.push({ modelVMWare: 'debian12', number: chance.integer(1, 3) })
  if (chance.fraction() < 0.3) pools.push({ modelVMWare: 'debian12', number: 1, flavor: 'large' })
  if (chance.fraction() < 0.2) pools.push({ modelVMWare: 'ubuntu22', number: 1 })
  if (chance.fraction() < 0.3) pools.push({ modelPath: v1Model.path, number: 1 })
  return pools
}
