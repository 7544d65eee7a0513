import { describe, expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import type { JobV1, JobV2 } from '../../simulation/index.ts'
import { HatcheryWorld, type HatcheryWorldOptions, v1Machine } from '../testing/hatchery-world.ts'

/** Guests that come up quickly, so that many runs take little. */
const timings = {
  linkedClone: [1_500, 2_500],
  boot: [1_000, 2_000],
  address: [1_000, 2_000],
  power: [500, 600],
  change: [400, 500],
  destroy: [400, 500],
} as const

/** And a clean-up that does not keep them waiting. */
const settings = { killAwolInterval: 15_000, finishedWorkerGracePeriod: 5_000, workerRegistrationTtl: 120_000 }

const provisioning = [{ version: 2 as const, model: 'debian12', number: 1, flavor: undefined }]

/** One job from the queue to its end. */
interface Story {
  readonly name: string
  readonly options: HatcheryWorldOptions
  readonly version: 1 | 2
  /** Whether a VM stands ready for it. */
  readonly isReady: boolean
}

const stories: readonly Story[] = [
  { name: 'a V2 job on a fresh clone', options: { settings }, version: 2, isReady: false },
  { name: 'a V2 job on a VM that stands ready', options: { settings: { ...settings, provisioning } }, version: 2, isReady: true },
  { name: 'a V1 job on a fresh clone', options: { settings }, version: 1, isReady: false },
]

interface Ending {
  /** The calls that were made until the crash. */
  readonly calls: readonly string[]
}

/**
 * Runs a story in which the program crashes right before the call number `at`, or so many milliseconds after it, and is started again.
 * Whatever the moment: the job comes to its end on one worker, and nothing is left.
 */
async function tell(story: Story, at: number, later: number, losesStore: boolean): Promise<Ending> {
  const world = new HatcheryWorld({ ...story.options, world: { timings }, workers: { work: [5_000, 10_000] } })
  if (story.version === 1) world.addV1Model()
  const calls: string[] = []
  let isCounting = false
  let crash = () => {}
  const first = world.begin(call => {
    if (!isCounting || /heartbeat|\/worker$|queue\/(eu|workflows)$|model\/enabled/.test(call)) return
    calls.push(call)
    if (calls.length !== at) return
    if (later === 0) crash()
    else world.clock.after(later, crash)
  })
  let hasCrashed = false
  crash = () => {
    hasCrashed = true
    first.crash()
  }
  await world.start(first)
  if (story.isReady) await world.until(() => first.hatchery.pools()[0]?.ready === 1)
  isCounting = true
  const job = story.version === 1 ? world.addV1Job() : world.addJob()
  await world.until(() => hasCrashed || job.status === 'Success')
  if (!hasCrashed) return { calls }
  await world.seconds(5)
  if (losesStore) world.loseStore()
  await world.start()
  await world.until(() => job.status === 'Success', 3_000)
  await world.until(() => world.vms().every(({ name }) => name.startsWith('provision-')), 1_500)
  await world.until(() => world.vms().length === (story.isReady ? 1 : 0), 1_500)
  expect(world.cds.wrongs()).toEqual({ onTwoWorkers: [], startedAgain: [], resurrected: [], takenFromWorker: [] })
  expect(world.cds.heldJobs()).toEqual([])
  expect(world.vcenter.addressConflicts()).toEqual([])
  await world.until(async () => (await world.spawns()).length === 0, 900)
  return { calls }
}

describe.each(stories)('$name survives a crash', story => {
  test.each([
    { when: 'right before any call', later: 0, step: 1 },
    { when: 'while a call is under way', later: 60, step: 2 },
    { when: 'while what a call began goes on', later: 450, step: 3 },
  ])('$when', async ({ later, step }) => {
    for (let at = 1; ; at += step) {
      const { calls } = await tell(story, at, later, false).catch((error: unknown) => {
        throw new Error(`crash at call ${at}`, { cause: error })
      })
      if (calls.length < at) {
        expect(at).toBeGreaterThan(15)
        break
      }
    }
  })

  test('and the loss of the store with it', async () => {
    for (let at = 2; ; at += 3) {
      const { calls } = await tell(story, at, 60, true).catch((error: unknown) => {
        throw new Error(`crash at call ${at}`, { cause: error })
      })
      if (calls.length < at) {
        expect(at).toBeGreaterThan(10)
        break
      }
    }
  })
})

describe('a program that dies at the launch of a worker', () => {
  interface Launch {
    readonly faults?: (world: HatcheryWorld) => void
    readonly settings?: HatcheryWorldOptions['settings']
    readonly addJob?: (world: HatcheryWorld) => JobV1 | JobV2
  }
  const launched = async (later: number, { faults, settings: given, addJob = world => world.addJob() }: Launch = {}) => {
    const world = new HatcheryWorld({
      settings: { killAwolInterval: 15_000, ...given },
      world: { timings, templates: [{ name: 'debian12', cpus: 2, memoryMB: 4096, login: { user: 'root', password: 'secret-of-guest' } }] },
      workers: { work: [90_000, 90_000] },
    })
    let programs = 0
    let died = false
    const first = world.begin(call => {
      // The first program only probes the guest.
      if (!call.startsWith('runInGuest') || ++programs !== 2) return
      const die = () => {
        died = true
        first.crash()
      }
      if (later === 0) die()
      else world.clock.after(later, die)
    })
    await world.start(first)
    const job = addJob(world)
    await world.until(() => died)
    const [vm] = world.vms()
    faults?.(world)
    await world.start()
    return { world, job, vm: vm! }
  }

  test('right before it takes the start back at once, and does not wait for a worker that never comes', async () => {
    const { world, job, vm } = await launched(0)
    await world.until(() => job.status === 'Building', 60)
    expect(world.vcenter.find(vm.id)).toBeUndefined()
    expect(job.worker).not.toBe(vm.name)
  })

  const login = { username: 'root', password: 'secret-of-guest' }
  const reference = 'DEMO/forge/acme/workers/debian'
  const v1Job = (world: HatcheryWorld, machine: object) => {
    world.addV1Model({ machine: { ...v1Machine, ...machine }, secrets: new Map([['secrets.password', 'secret-of-guest']]) })
    return world.addV1Job()
  }
  const jobAsCode = (world: HatcheryWorld) => {
    world.cds.addModelV2(reference, { name: 'debian', osarch: 'linux/amd64', type: 'vsphere', spec: { image: 'debian12', ...login } })
    return world.addV1Job({ requirements: [{ name: reference, type: 'model', value: reference }] })
  }
  const ofImage = { credentials: [{ image: 'debian12', path: undefined, user: 'root', password: new Secret('secret-of-guest') }] }

  test.each<{ where: string; settings?: HatcheryWorldOptions['settings']; addJob: NonNullable<Launch['addJob']> }>([
    { where: 'in the model of a V2 job', addJob: world => world.addJob({ spec: login }) },
    { where: 'in the model of a V1 job', addJob: world => v1Job(world, {}) },
    { where: 'in the secrets of the model of a V1 job', addJob: world => v1Job(world, { password: '{{.secrets.password}}' }) },
    { where: 'in the model as code of a V1 job', addJob: jobAsCode },
    {
      where: 'in the configuration, for the image of the model of a V1 job',
      settings: ofImage,
      addJob: world => v1Job(world, { user: '', password: '' }),
    },
  ])('right before it takes the start back at once, too, if the login is $where', async ({ settings: given, addJob }) => {
    const { world, job, vm } = await launched(0, { settings: { credentials: [], ...given }, addJob })
    await world.until(() => job.status === 'Building', 60)
    expect(world.vcenter.find(vm.id)).toBeUndefined()
  })

  test('right after it leaves the worker to its job, although CDS has not heard of it yet', async () => {
    const { world, job, vm } = await launched(60)
    await world.until(() => job.status === 'Building', 60)
    expect(job.worker).toBe(vm.name)
  })

  test('and cannot ask the guest leaves the VM alone, whatever the truth is', async () => {
    const faults = ({ vcenter }: HatcheryWorld) => {
      for (let times = 0; times < 1_000; times++) vcenter.faults.cutNext('guestPrograms', 'before')
    }
    const { world, vm } = await launched(0, { faults })
    await world.seconds(90)
    expect(world.vcenter.find(vm.id)?.vm.power).toBe('on')
  })
})
