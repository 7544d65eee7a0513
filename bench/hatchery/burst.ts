import { allKinds } from '../../src/kinds/index.ts'
import { connectCds, Hatchery, type HatcherySettings } from '../../src/hatchery/index.ts'
import { testRsaKey } from '../../src/hatchery/testing/operator-file.ts'
import { plainSettings } from '../../src/hatchery/testing/plain-settings.ts'
import {
  AddressAuthority,
  addressNetwork,
  aroundCalls,
  governed,
  Governor,
  type GovernorLimits,
  KnownHosts,
  type Platform,
} from '../../src/platform/index.ts'
import { prometheusMetrics, Secret, seededChance, silentLog, simulatedHttp, VirtualClock } from '../../src/ports/index.ts'
import { connectToCds, SimulatedCds, simulatedPlatform, SimulatedWorld, workerPrograms } from '../../src/simulation/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { percentile } from '../frame/median.ts'

/** What a burst came to. Times are seconds of the simulated clock from the queue to the worker, without the boot. */
export interface Burst {
  readonly jobs: number
  readonly p50: number
  readonly p95: number
  readonly most: number
  /** Jobs that did not succeed, or that anything went wrong with. */
  readonly lost: number
  /** The most that went on at once in vCenter, seen from below the governor. */
  readonly atOnce: number
  readonly atOnceOnHost: number
  /** What the governor allowed. */
  readonly limits: { readonly total: number; readonly perHost: number }
  /** Seconds that this machine needed for it. */
  readonly seconds: number
}

/** How large the burst is, and what it meets. */
export interface BurstOptions {
  readonly jobs: number
  readonly hosts: number
  /** VMs that stand ready when it begins. */
  readonly ready: number
  readonly limits: Partial<GovernorLimits>
  /** How many VMs are made ready at a time. */
  readonly poolSize: number
}

const region = 'eu'
const image = 'debian12'
const name = 'burst'
const cdsUrl = 'http://cds.simulated'
/** From power-on to a guest that can be used; and from the script to a worker that signs in. */
const boot = 30_000
const start = 2_000
const within = 60_000

/** Jobs that are all queued within a minute, on simulated hosts, under the virtual clock. */
export async function burst({ jobs: count, hosts, ready, limits, poolSize }: BurstOptions): Promise<Burst> {
  const began = performance.now()
  const clock = new VirtualClock()
  const world = new SimulatedWorld({
    clock,
    chance: seededChance('world'),
    hosts: Array.from({ length: hosts }, (_, number) => ({ name: `host-${number}`, cpus: 128, memoryMB: 1024 * 1024 })),
    templates: [{ name: image, cpus: 2, memoryMB: 4096 }],
    timings: { boot: [boot, boot], address: [boot, boot] },
  })
  const cds = new SimulatedCds({ clock, chance: seededChance('cds'), url: cdsUrl })
  const settings = settingsFor(cds, ready, poolSize)
  const http = simulatedHttp(cds.handler, { clock })
  world.onProgram(workerPrograms({ clock, chance: seededChance('workers'), http, work: [60_000, 180_000], start: [start, start] }))
  const store = memoryStore({ kinds: allKinds, clock, chance: seededChance('store') })
  const chance = seededChance('hatchery')
  const watched = watchedPlatform(simulatedPlatform({ world, chance }))
  const known = new KnownHosts()
  known.watch(watched.platform.inventory)
  const governor = new Governor({ platform: 'vCenter', clock, limits, hosts: () => known.count })
  const platform = governed(watched.platform, governor, 'hatchery')
  const background = governed(watched.platform, governor, 'hatchery', { canWait: true })
  const addresses = new AddressAuthority({ store, platform, networks: settings.networks, clock, chance, log: silentLog })
  addresses.start()
  const api = connectCds({ settings, ...connectToCds(cds, clock), clock, chance, log: silentLog, hostname: 'bench' })
  const hatchery = new Hatchery({
    settings,
    platform,
    background,
    addresses,
    store,
    cds: api,
    clock,
    chance,
    log: silentLog,
    metrics: prometheusMetrics(),
  })
  const started = new Map<string, number>()
  cds.listen(({ what, job = '', time }) => {
    if (what === 'job started' && !started.has(job)) started.set(job, time)
  })
  const starting = hatchery.start()
  await clock.advance(30_000)
  await starting
  const standing = () => hatchery.pools().reduce((sum, pool) => sum + pool.ready, 0)
  for (let minute = 0; minute < 600 && standing() < ready; minute++) await clock.advance(60_000)

  const model = { name: 'debian-model', osarch: 'linux/amd64', type: 'vsphere', spec: { image } }
  const when = seededChance('jobs')
  for (let number = 0; number < count; number++) {
    clock.after(when.integer(0, within), () => void cds.addJobV2({ region, model, project: `PROJECT${number % 12}` }))
  }
  await clock.advance(within)
  const isOver = ({ status }: { readonly status: string }) => ['Success', 'Fail', 'Stopped'].includes(status)
  for (let minute = 0; minute < 120 && !cds.jobsV2().every(isOver); minute++) await clock.advance(60_000)

  const wrong = new Set(Object.values(cds.wrongs()).flat())
  const lost = cds.jobsV2().filter(job => job.status !== 'Success' || wrong.has(job.id)).length + (count - cds.jobsV2().length)
  const waits = cds.jobsV2().map(({ id, queued }) => ((started.get(id) ?? Number.POSITIVE_INFINITY) - queued - boot - start) / 1000)
  const stopping = Promise.all([hatchery.stop(), addresses.stop()])
  await clock.advance(30_000)
  await stopping
  cds.stop()
  const { atOnce, atOnceOnHost } = watched.most
  const times = { p50: percentile(waits, 0.5), p95: percentile(waits, 0.95), most: Math.max(...waits) }
  const allowed = { total: governor.total, perHost: governor.limits.perHost }
  return { jobs: count, ...times, lost, atOnce, atOnceOnHost, limits: allowed, seconds: (performance.now() - began) / 1000 }
}

function settingsFor(cds: SimulatedCds, ready: number, poolSize: number): HatcherySettings {
  const plain = plainSettings()
  return {
    ...plain,
    name,
    key: new Secret(testRsaKey()),
    api: {
      ...plain.api,
      url: cdsUrl,
      tokenV1: new Secret(cds.addHatcheryV1({ name })),
      tokenV2: new Secret(cds.addHatcheryV2({ name, region })),
    },
    provision: {
      ...plain.provision,
      maxWorker: 0,
      maxConcurrentProvisioning: 1_000,
      worker: { ...plain.provision.worker, apiUrl: cdsUrl },
    },
    networks: [addressNetwork({ name: 'workers', ranges: '10.1.0.0/20', gateway: '10.1.15.254', subnetMask: '255.255.240.0' })],
    credentials: [{ image, path: undefined, user: 'root', password: new Secret('secret-of-guest') }],
    provisioning: ready === 0 ? [] : [{ version: 2, model: image, number: ready, flavor: undefined }],
    provisioningPoolSize: poolSize,
  }
}

const heavy = new Set(['clone', 'claim', 'annotate', 'powerOn', 'powerOff', 'destroy', 'markAsTemplate'])

/** The same platform, and how much went on there at once at most: in all, and on one host. */
function watchedPlatform(inner: Platform) {
  const most = { atOnce: 0, atOnceOnHost: 0 }
  const running = new Map<string, number>()
  let all = 0
  const platform = aroundCalls(inner, async (call, next) => {
    if (!heavy.has(call.operation)) return await next()
    // Every VM is on a host, also while it is off: whatever is not counted here would let a limit pass unseen.
    const vm = call.clone === undefined ? inner.inventory.byId(call.target) : inner.inventory.byName(call.clone.template)[0]
    if (vm !== undefined && vm.host === undefined) throw new Error(`nobody knows on which host ${vm.name} is`)
    const host = vm?.host
    const add = (number: number) => {
      all += number
      most.atOnce = Math.max(most.atOnce, all)
      if (host === undefined) return
      running.set(host, (running.get(host) ?? 0) + number)
      most.atOnceOnHost = Math.max(most.atOnceOnHost, running.get(host) ?? 0)
    }
    add(1)
    try {
      return await next()
    } finally {
      add(-1)
    }
  })
  return { platform, most }
}
