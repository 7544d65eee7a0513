import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnsweredCall } from '../vsphere/fault-proxy.ts'
import { Ground, until } from './ground.ts'
import type { HatcheryProcess } from './hatchery-process.ts'

const sizes = [1_000, 10_000] as const
const kilobyte = 1024

/** A hatchery on a vCenter with many VMs, and what it has asked of it since `calls` was last emptied. */
interface Place {
  readonly ground: Ground
  readonly hatchery: HatcheryProcess
  readonly calls: AnsweredCall[]
}

const places = new Map<number, Place>()
const place = (size: number) => places.get(size) ?? expect.unreachable()
const saw =
  ({ hatchery }: Place) =>
  () =>
    hatchery.log().split('\n').slice(-30).join('\n')
const isCommand = ({ method }: AnsweredCall) => method !== 'WaitForUpdatesEx'
const methods = (calls: readonly AnsweredCall[]) => calls.map(({ method }) => method).join(', ')
const bytes = (calls: readonly AnsweredCall[]) => calls.reduce((sum, { received }) => sum + received, 0)

/** Waits until nothing has been asked for a moment: what earlier steps caused must not be counted for the next. */
async function quiet({ calls }: Place): Promise<void> {
  for (let before = -1; before !== calls.length;) {
    before = calls.length
    await sleep(1_500)
  }
}

beforeAll(async () => {
  for (const size of sizes) {
    const ground = await Ground.lay({
      vcenter: { vms: size, cloneMs: 100, taskMs: 50, toolsMs: 300, addressMs: 400 },
      workers: { work: [20_000, 21_000] },
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
    const hatchery = await ground.start(file)
    const made = { ground, hatchery, calls }
    places.set(size, made)
    await until(() => ground.ready().length === 4, 120, saw(made))
    await quiet(made)
  }
}, 600_000)

afterAll(async () => {
  for (const { ground } of places.values()) await ground[Symbol.asyncDispose]()
})

test('an idle minute takes at most 4 calls, and no listing', async () => {
  // Metrics ask once for the disks of a new VM, within half a minute.
  await sleep(35_000)
  for (const size of sizes) place(size).calls.length = 0
  await sleep(60_000)
  for (const size of sizes) {
    const { calls } = place(size)
    console.log(`${size} VMs: an idle minute: ${calls.length} calls (${methods(calls)}), ${bytes(calls)} bytes`)
    expect(calls.length).toBeLessThanOrEqual(4)
    expect(calls.map(({ method }) => method).filter(method => method !== 'WaitForUpdatesEx' && method !== 'CurrentTime')).toEqual([])
    expect(bytes(calls)).toBeLessThan(8 * kilobyte)
  }
}, 180_000)

describe.each(sizes)('in a vCenter with %d VMs', size => {
  test('20 jobs that cannot start cause no call at all', async () => {
    const { ground, hatchery, calls } = place(size)
    calls.length = 0
    // 16 CPUs where 10 are allowed; and a requirement that no VM can meet.
    const jobs = Array.from({ length: 15 }, () => ground.addJob({ flavor: 'huge' }))
    const service = { name: 'db', type: 'service', value: 'postgres' }
    const impossible = Array.from({ length: 5 }, () => ground.cds.addJobV1({ requirements: [service] }))
    const waiting = () => hatchery.log().split('"a job waits"').length - 1
    await until(() => waiting() >= 20, 60, saw(place(size)))
    await sleep(30_000)
    const commands = calls.filter(isCommand)
    console.log(`${size} VMs: 20 jobs that cannot start, half a minute: ${commands.length} calls besides the watch, ${bytes(calls)} bytes`)
    // The session is kept alive however much or little there is to do.
    expect(commands.map(({ method }) => method).filter(method => method !== 'CurrentTime')).toEqual([])
    expect(new Set([...jobs, ...impossible].map(({ status }) => status))).toEqual(new Set(['Waiting']))
    for (const { id } of [...jobs, ...impossible]) ground.cds.stopJob(String(id))
  })

  test('a job on a VM that stands ready takes at most 8 calls besides replies of the watch, and 20 KB', async () => {
    const { ground, calls } = place(size)
    // Names are looked up once; what is measured is what each further job costs. Its VM is there until this is over.
    const first = ground.addJob({ flavor: 'large' })
    await until(() => first.status === 'Building', 60, saw(place(size)))
    await quiet(place(size))
    calls.length = 0
    const job = ground.addJob({ flavor: 'large' })
    await until(() => job.status === 'Building', 60, saw(place(size)))
    await quiet(place(size))
    const [commands, all, received] = [calls.filter(isCommand), calls.length, bytes(calls)]
    console.log(`${size} VMs: a job: ${commands.length} calls (${methods(commands)}), ${all} with replies of the watch, ${received} bytes`)
    expect([first.status, job.status]).toEqual(['Building', 'Building'])
    expect(commands.length, methods(commands)).toBeLessThanOrEqual(8)
    expect(received).toBeLessThanOrEqual(20 * kilobyte)
    await until(() => job.status === 'Success', 60, saw(place(size)))
  })
})
