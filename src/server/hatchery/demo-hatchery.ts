import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { type Chance, type Clock, type Log, memoryFiles, prometheusMetrics, simulatedHttp } from '../../ports/index.ts'
import type { ControllerContext } from '../../control/index.ts'
import { connectCds, Hatchery, type HatcherySettings, hatcherySettings } from '../../hatchery/index.ts'
import { AddressAuthority, governed, Governor, operationRows } from '../../platform/index.ts'
import { connectToCds, jobTraffic, SimulatedCds, simulatedPlatform, SimulatedWorld, workerPrograms } from '../../simulation/index.ts'
import type { Ports } from '../ports.ts'
import type { HatcheryWithGround } from './hatchery-host.ts'
import { servePages } from './vsphere-hatchery.ts'

const name = 'demo'
const region = 'here'
const image = 'debian12'
const cdsUrl = 'http://cds.simulated'
const modelReference = 'DEMO/github/acme/workers/debian'

/** Quicker than a real vCenter, so that there is something to see within a minute. */
const timings = {
  linkedClone: [3_000, 6_000],
  change: [200, 600],
  power: [500, 1_500],
  boot: [4_000, 8_000],
  address: [5_000, 9_000],
  shutDown: [1_000, 3_000],
} as const

/**
 * A hatchery without anything outside: a simulated vCenter, a simulated CDS in which somebody starts jobs all the time, and workers
 * that do them. One job wants more than there is and waits for ever: that is the one to ask about.
 */
export async function demoHatchery({ store }: ControllerContext, ports: Ports): Promise<HatcheryWithGround> {
  const { clock, chance } = ports
  const log = warningsOf(ports.log)
  const opened = new AsyncDisposableStack()
  const cds = new SimulatedCds({ clock, chance, url: cdsUrl })
  opened.defer(() => cds.stop())
  const settings = await demoSettings(cds)
  const world = new SimulatedWorld({ clock, chance, timings, templates: [{ name: image, cpus: 2, memoryMB: 4096 }] })
  const { signal } = opened.adopt(new AbortController(), ending => ending.abort())
  world.onProgram(workerPrograms({ clock, chance, http: simulatedHttp(cds.handler, { clock }), work: [20_000, 60_000], signal }))
  const simulated = simulatedPlatform({ world, chance })
  opened.defer(() => simulated.close())
  const governor = new Governor({ platform: simulated.name, clock })
  const platform = governed(simulated, governor, 'hatchery')
  const background = governed(simulated, governor, 'hatchery', { canWait: true })
  const addresses = new AddressAuthority({ store, platform, networks: settings.networks, clock, chance, log })
  addresses.start()
  opened.defer(() => addresses.stop())
  const connection = connectToCds(cds, clock)
  const api = connectCds({ settings, ...connection, clock, chance, log })
  const metrics = prometheusMetrics()
  const hatchery = new Hatchery({ settings, platform, background, addresses, store, cds: api, clock, chance, log, metrics })
  return {
    hatchery,
    operations: () => operationRows(governor, id => simulated.inventory.lastKnown(id)?.name),
    start: async () => {
      const served = await servePages(hatchery, settings)
      opened.defer(() => served.close())
      opened.defer(startJobs(cds, clock, chance))
      await hatchery.start()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** The settings as an operator's file would give them. */
async function demoSettings(cds: SimulatedCds): Promise<HatcherySettings> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const table = {
    user: 'demo',
    password: 'demo',
    endpoint: 'vcenter.simulated',
    datacenterString: 'DC0',
    iprange: '10.20.0.0/24',
    gateway: '10.20.0.254',
    maxCpus: 32,
    defaultFlavor: 'small',
    flavors: [
      { name: 'small', cpus: 2, memoryMB: 4096 },
      { name: 'large', cpus: 8, memoryMB: 16_384 },
      { name: 'huge', cpus: 64, memoryMB: 131_072 },
    ],
    workerProvisioningInterval: 20,
    workerProvisioningPoolSize: 2,
    workerProvisioning: [{ modelVMWare: image, number: 3 }],
    guestCredentials: [{ modelVMWare: image, username: 'root', password: 'demo' }],
    defaultWorkerModelsV2: [{ workerModelV2: modelReference, binaries: ['git'] }],
    killAwolServersInterval: 15,
    finishedWorkerGracePeriod: 10,
    commonConfiguration: {
      name,
      rsaPrivateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }),
      http: { addr: '127.0.0.1', port: 0 },
      api: {
        token: cds.addHatcheryV1({ name }),
        tokenV2: cds.addHatcheryV2({ name, region }),
        http: { url: cdsUrl },
      },
      provision: { maxWorker: 8, maxConcurrentProvisioning: 4 },
    },
  }
  const { settings, problems } = await hatcherySettings(table, { folder: '/', files: memoryFiles(), environment: {} })
  if (settings === undefined) throw new Error(`the demo’s settings are wrong: ${JSON.stringify(problems)}`)
  return settings
}

/** People who start jobs, until they are told to stop: few enough that the workers keep up, but for the one that nobody can do. */
function startJobs(cds: SimulatedCds, clock: Clock, chance: Chance): () => void {
  const model = { name: 'debian', osarch: 'linux/amd64', type: 'vsphere', spec: { image } }
  cds.addModelV2(modelReference, model)
  cds.addJobV1({ requirements: [{ name: 'flavor', type: 'flavor', value: 'huge' }] })
  cds.addJobV2({ region, model })
  const jobs = [
    { weight: 3, v2: { region, model } },
    { weight: 1, v2: { region, model, flavor: 'large' } },
  ]
  return jobTraffic({ cds, clock, chance, jobs, every: [10_000, 25_000] })
}

/** In the demo everything is well: its terminal is for what the newcomer is told, and the commands show the rest. */
function warningsOf(log: Log): Log {
  return {
    debug: () => {},
    info: () => {},
    warn: (message, fields) => log.warn(message, fields),
    error: (message, fields) => log.error(message, fields),
    with: fields => warningsOf(log.with(fields)),
  }
}
