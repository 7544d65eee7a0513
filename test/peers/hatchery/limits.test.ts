import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JobV2 } from '../../../src/simulation/index.ts'
import type { AnsweredCall } from '../vsphere/fault-proxy.ts'
import { Ground, until } from './ground.ts'
import type { HatcheryProcess } from './hatchery-process.ts'

const sizes = [1_000, 10_000] as const
const kilobyte = 1024

/** A hatchery on a vCenter with many VMs, and what it has asked of it since `calls` was last emptied. */
interface Place {
  readonly size: number
  readonly ground: Ground
  readonly hatchery: HatcheryProcess
  readonly calls: AnsweredCall[]
}

const places: Place[] = []
/** A test of every place, at the same time: most of it is waiting. */
const everywhere = (work: (at: Place) => Promise<void>) => () => Promise.all(places.map(work))
const saw =
  ({ hatchery }: Place) =>
  () =>
    hatchery.log().split('\n').slice(-30).join('\n')
const isCommand = ({ method }: AnsweredCall) => method !== 'WaitForUpdatesEx'
/** The session is kept alive however much or little there is to do. */
const isWork = ({ method }: AnsweredCall) => method !== 'WaitForUpdatesEx' && method !== 'CurrentTime'
const methods = (calls: readonly AnsweredCall[]) => calls.map(({ method }) => method).join(', ')
const bytes = (calls: readonly AnsweredCall[]) => calls.reduce((sum, { received }) => sum + received, 0)

/** Waits until nothing has been asked for so long: what earlier steps caused must not be counted for the next. */
async function quiet({ calls }: Place, milliseconds = 2_000, counts: (call: AnsweredCall) => boolean = () => true): Promise<void> {
  const count = () => calls.filter(counts).length
  for (let before = -1; before !== count();) {
    before = count()
    await sleep(milliseconds)
  }
}

/** Waits until every VM stands ready again, and nothing is asked any more. */
async function settled(at: Place): Promise<void> {
  await until(() => at.ground.ready().length === 4 && at.ground.workers().length === 0, 300, saw(at))
  await quiet(at)
}

/** A job that a worker has begun, and what it cost until then. Its worker works on until it is told to end. */
async function begun(at: Place): Promise<{ readonly job: JobV2; readonly commands: readonly AnsweredCall[]; readonly received: number }> {
  const { size, ground, calls } = at
  calls.length = 0
  const job = ground.addJob({ flavor: 'large' })
  await until(() => job.status === 'Building', 60, saw(at))
  await quiet(at)
  const [commands, all, received] = [calls.filter(isCommand), calls.length, bytes(calls)]
  console.log(`${size} VMs: a job: ${commands.length} calls (${methods(commands)}), ${all} with replies of the watch, ${received} bytes`)
  return { job, commands, received }
}

/** A vCenter of that many VMs with a hatchery that has made its VMs ready. */
async function layPlace(size: number): Promise<void> {
  const ground = await Ground.lay({
    vcenter: { vms: size, cloneMs: 100, taskMs: 50, toolsMs: 300, addressMs: 400 },
    // Until they are told to end.
    workers: { work: [600_000, 600_000] },
  })
  const calls: AnsweredCall[] = []
  ground.proxy.onAnswer = call => {
    calls.push(call)
    ground.guests.onAnswer(call)
  }
  // As many addresses as VMs stand ready: no other is made while one of them works, so that what is counted is the job's alone.
  const networks = 'networks = [{ iprange = "10.30.0.4/30", gateway = "10.30.0.1", subnetMask = "255.255.255.0" }]'
  const huge = ['[[hatchery.vsphere.flavors]]', 'name = "huge"', 'cpus = 16', 'memoryMB = 1024']
  const file = await ground.operatorFile('hv1', { ready: 4, more: [networks, 'maxCpus = 10', ...huge] })
  const at = { size, ground, hatchery: await ground.start(file), calls }
  places.push(at)
  await settled(at)
}

beforeAll(() => Promise.all(sizes.map(layPlace)), 1_800_000)

afterAll(async () => {
  for (const { ground } of places) await ground[Symbol.asyncDispose]()
})

test(
  'an idle minute takes at most 4 calls, and no listing',
  { timeout: 600_000 },
  everywhere(async at => {
    const { size, calls } = at
    // Metrics ask once for the disks of a new VM, within half a minute.
    await quiet(at, 40_000, isWork)
    calls.length = 0
    await sleep(60_000)
    console.log(`${size} VMs: an idle minute: ${calls.length} calls (${methods(calls)}), ${bytes(calls)} bytes`)
    expect(calls.length).toBeLessThanOrEqual(4)
    expect(methods(calls.filter(isWork))).toBe('')
    expect(bytes(calls)).toBeLessThan(8 * kilobyte)
  }),
)

test(
  '20 jobs that cannot start cause no call at all, a whole minute long',
  { timeout: 300_000 },
  everywhere(async at => {
    const { size, ground, hatchery, calls } = at
    await settled(at)
    const waiting = () => hatchery.log().split('"a job waits"').length - 1
    const before = waiting()
    calls.length = 0
    // 16 CPUs where 10 are allowed; and a requirement that no VM can meet.
    const jobs = Array.from({ length: 15 }, () => ground.addJob({ flavor: 'huge' }))
    const service = { name: 'db', type: 'service', value: 'postgres' }
    const impossible = Array.from({ length: 5 }, () => ground.cds.addJobV1({ requirements: [service] }))
    await until(() => waiting() >= before + 20, 60, saw(at))
    await sleep(60_000)
    const commands = calls.filter(isCommand)
    console.log(`${size} VMs: 20 jobs that cannot start, a minute: ${commands.length} calls besides the watch, ${bytes(calls)} bytes`)
    expect(methods(commands.filter(isWork))).toBe('')
    expect(bytes(calls)).toBeLessThan(8 * kilobyte)
    expect(new Set([...jobs, ...impossible].map(({ status }) => status))).toEqual(new Set(['Waiting']))
    for (const { id } of [...jobs, ...impossible]) ground.cds.stopJob(String(id))
  }),
)

test(
  'a job on a VM that stands ready takes at most 8 calls besides replies of the watch, and 20 KB',
  { timeout: 400_000 },
  everywhere(async at => {
    const { ground } = at
    await settled(at)
    // Names are looked up once; what is measured is what each further job costs. Nobody ends until this is over.
    const first = await begun(at)
    const { job, commands, received } = await begun(at)
    expect([first.job.status, job.status]).toEqual(['Building', 'Building'])
    expect(commands.length, methods(commands)).toBeLessThanOrEqual(8)
    expect(received).toBeLessThanOrEqual(20 * kilobyte)
    ground.guests.worksFor(0)
    await until(() => first.job.status === 'Success' && job.status === 'Success', 60, saw(at))
    ground.guests.worksFor(600_000)
  }),
)

test(
  'so does one after VMs were removed and others made in their place, and neither is a listing',
  { timeout: 900_000 },
  everywhere(async at => {
    const { size, ground, calls } = at
    await settled(at)
    // The workers of the test before this one are gone by now.
    const { job, commands, received } = await begun(at)
    expect(commands.length, methods(commands)).toBeLessThanOrEqual(8)
    expect(received).toBeLessThanOrEqual(20 * kilobyte)
    calls.length = 0
    ground.guests.worksFor(0)
    await until(() => job.status === 'Success', 60, saw(at))
    ground.guests.worksFor(600_000)
    await settled(at)
    const [others, after] = [calls.filter(isCommand), bytes(calls)]
    console.log(`${size} VMs: its removal and another VM: ${others.length} calls (${methods(others)}), ${after} bytes`)
    const listings = others.filter(call => /^Create(ContainerView|Filter)/.test(call.method) || call.received > 20 * kilobyte)
    expect(methods(listings)).toBe('')
    expect(after).toBeLessThanOrEqual(64 * kilobyte)
  }),
)
