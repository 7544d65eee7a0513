import { generateKeyPairSync } from 'node:crypto'
import { type HatcherySettings, hatcherySettings } from '../../hatchery/index.ts'
import { memoryFiles } from '../../ports/index.ts'
import { defaultModel, flavors, type HatcheryScene, images, missingImage, type PoolScene } from './hatchery-scene.ts'

/** What the configuration of a hatchery is made of. */
export interface OperatorSettings {
  readonly hatchery: HatcheryScene
  readonly pools: readonly PoolScene[]
  /** The third number of its addresses; undefined: DHCP. */
  readonly network: number | undefined
  readonly tokenV1: string
  readonly tokenV2: string
  readonly cdsUrl: string
}

let key: string | undefined

/** One key for all, and a small one, because it signs often: no behaviour depends on which it is. */
function rsaKey(): string {
  key ??= generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  return key
}

/** The settings of a hatchery, as its operator's file would give them. */
export async function operatorSettings({
  hatchery,
  pools,
  network,
  tokenV1,
  tokenV2,
  cdsUrl,
}: OperatorSettings): Promise<HatcherySettings> {
  const { interval } = hatchery
  const table = {
    user: 'rehearsal',
    password: 'rehearsal',
    endpoint: 'vcenter.simulated',
    datacenterString: 'DC0',
    ...(network !== undefined && { iprange: `10.0.${network}.0/28`, gateway: `10.0.${network}.14`, subnetMask: '255.255.255.240' }),
    maxCpus: hatchery.maxCpus,
    maxMemoryMB: hatchery.maxMemoryMB,
    countSmallerFlavorToKeep: hatchery.countSmallerFlavorToKeep,
    ...(hatchery.defaultFlavor !== undefined && { defaultFlavor: hatchery.defaultFlavor }),
    flavors,
    workerProvisioning: pools,
    workerProvisioningPoolSize: hatchery.poolSize,
    workerProvisioningInterval: interval,
    killAwolServersInterval: interval,
    finishedWorkerGracePeriod: hatchery.grace,
    workerTTL: 60,
    workerRegistrationTTL: 10,
    guestCredentials: [...images, { name: missingImage }].map(({ name }) => ({ modelVMWare: name, username: 'root', password: 'guest' })),
    defaultWorkerModelsV2: [{ workerModelV2: defaultModel, binaries: ['git'] }],
    commonConfiguration: {
      name: hatchery.name,
      rsaPrivateKey: rsaKey(),
      api: { token: tokenV1, tokenV2, http: { url: cdsUrl } },
      provision: {
        maxWorker: hatchery.maxWorker,
        maxConcurrentProvisioning: hatchery.maxConcurrentProvisioning,
        maxConcurrentRegistering: hatchery.maxWorker === 1 ? 1 : 2,
        maxAttemptsNumberBeforeFailure: hatchery.maxAttempts,
        registerFrequency: interval,
      },
    },
  }
  const { settings, problems } = await hatcherySettings(table, { folder: '/', files: memoryFiles(), environment: {} })
  if (settings === undefined) throw new Error(`the settings of the rehearsal are wrong: ${JSON.stringify(problems)}`)
  return settings
}
