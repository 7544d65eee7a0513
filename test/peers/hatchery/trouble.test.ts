import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { play } from '../../../src/cli/testing/played-io.ts'
import { Ground, guest, template, until } from './ground.ts'
import type { HatcheryProcess } from './hatchery-process.ts'

let ground: Ground

beforeEach(async () => {
  ground = await Ground.lay({ workers: { work: [1_500, 2_500] } })
})
afterEach(() => ground?.[Symbol.asyncDispose]())

const saw = (hatchery: HatcheryProcess) => () => `${hatchery.log().split('\n').slice(-40).join('\n')}\n${ground.guests.ends.join('\n')}`
const allSucceed = async (jobs: readonly { readonly status: string }[], hatchery: HatcheryProcess) => {
  await until(() => jobs.every(({ status }) => ['Success', 'Fail', 'Stopped'].includes(status)), 120, saw(hatchery))
  expect(jobs.map(({ status }) => status)).toEqual(jobs.map(() => 'Success'))
  expect(ground.cds.wrongs()).toEqual({ onTwoWorkers: [], startedAgain: [], resurrected: [], takenFromWorker: [] })
}

/** Addresses that two VMs had at the same time, seen from now on. Who is not on has none yet, whatever is meant for it. */
function watchAddresses(): ReadonlySet<string> {
  const twice = new Set<string>()
  ground.other.platform.inventory.onChange(() => {
    const seen = new Set<string>()
    for (const { note, power } of ground.vms()) {
      if (power === 'off') continue
      const { ip_address: address } = note as { readonly ip_address?: string }
      if (address !== undefined && seen.has(address)) twice.add(address)
      if (address !== undefined) seen.add(address)
    }
  })
  return twice
}

const range = (third: number) =>
  `networks = [{ iprange = "10.20.${third}.64/26", gateway = "10.20.${third}.1", subnetMask = "255.255.255.0" }]`

test.each([
  { ranges: 'ranges of their own', networks: [range(1), range(2)] },
  { ranges: 'one range', networks: [range(1), range(1)] },
] as const)(
  'two hatcheries with $ranges share a vCenter: no job on two workers, no address twice, nobody touches the other’s VMs',
  { timeout: 400_000 },
  async ({ networks: [first, second] }) => {
    const twice = watchAddresses()
    // Four workers of 2 vCPUs are what each may have at a time: eight jobs at a time need both.
    const four = 'maxCpus = 9'
    const files = [
      await ground.operatorFile('hv1', { ready: 2, more: [first, four] }),
      await ground.operatorFile('hv2', { ready: 2, more: [second, four] }),
    ] as const
    const [one, two] = await Promise.all([ground.start(files[0], `${ground.folder}/one`), ground.start(files[1], `${ground.folder}/two`)])
    const readyOf = (name: string) => ground.ready().filter(({ note }) => (note as { hatchery_name: string }).hatchery_name === name)
    await until(() => readyOf('hv1').length === 2 && readyOf('hv2').length === 2, 90, saw(one))
    ground.guests.worksFor(600_000)
    const jobs = Array.from({ length: 8 }, () => ground.addJob())
    await until(() => jobs.every(({ status }) => status === 'Building'), 120, saw(one))
    expect(jobs.map(({ hatchery }) => hatchery).toSorted()).toEqual(['hv1', 'hv1', 'hv1', 'hv1', 'hv2', 'hv2', 'hv2', 'hv2'])
    ground.guests.worksFor(1_000)
    await allSucceed(jobs, one)
    await until(() => readyOf('hv1').length === 2 && readyOf('hv2').length === 2 && ground.vms().length === 4, 90, saw(two))
    await one.kill('SIGTERM')
    const left = readyOf('hv1').map(({ id }) => id)
    await allSucceed([ground.addJob(), ground.addJob(), ground.addJob()], two)
    expect(readyOf('hv1').map(({ id }) => id)).toEqual(left)
    expect([...twice]).toEqual([])
  },
)

test('sessions of vCenter and of CDS end at any moment, and jobs go on', { timeout: 400_000 }, async () => {
  const file = await ground.operatorFile('hv1', { ready: 1 })
  const hatchery = await ground.start(file)
  await until(() => ground.ready().length === 1, 60, saw(hatchery))
  await ground.sim.expire()
  ground.cds.endHatcherySessions()
  const first = ground.addJob()
  await allSucceed([first], hatchery)
  const second = ground.addJob()
  await until(() => second.status !== 'Waiting', 60, saw(hatchery))
  await ground.sim.expire()
  ground.cds.endHatcherySessions()
  await allSucceed([second], hatchery)
  await until(() => ground.ready().length === 1 && ground.vms().length === 1, 60, saw(hatchery))
  expect(ground.cds.heldJobs()).toEqual([])
})

describe('while the VMs cannot be listed', () => {
  const noListing = (method: string) => (method === 'WaitForUpdatesEx' ? { status: 503 } : undefined)

  test('nothing is decided, started, removed or disabled, jobs say so; afterwards all goes on', { timeout: 400_000 }, async () => {
    const file = await ground.operatorFile('hv1', { ready: 2 })
    const hatchery = await ground.start(file, `${ground.folder}/data`)
    await until(() => ground.ready().length === 2, 60, saw(hatchery))
    ground.proxy.fault = noListing
    ground.proxy.cutAll()
    await sleep(1_000)
    ground.proxy.calls.length = 0
    const standing = ground.vms().map(({ id }) => id)
    const job = ground.addJob()
    const why = () =>
      play(['why', `job/${job.id}`, '--kubeconfig', `${ground.folder}/data/kubeconfig`], { folder: ground.folder, columns: 300 })
    await until(async () => (await why()).out.includes('InventoryNotLive'), 60, saw(hatchery))
    await sleep(8_000)
    expect(job.status).toBe('Waiting')
    expect(ground.vms().map(({ id }) => id)).toEqual(standing)
    expect(ground.proxy.calls.filter(method => /_Task$|Guest/.test(method))).toEqual([])
    ground.proxy.fault = () => undefined
    await allSucceed([job], hatchery)
  })

  test('a hatchery that starts meanwhile disables no worker of an earlier run, and takes no job', { timeout: 400_000 }, async () => {
    const machine = { image: template, pre_cmd: 'true', cmd: './worker', post_cmd: 'sudo shutdown -h now', ...guest }
    const model = ground.cds.addModelV1({ name: 'deb', machine })
    const file = await ground.operatorFile('hv1', { ready: 1 })
    const earlier = await ground.start(file)
    await until(() => ground.ready().length === 1 && !model.needRegistration, 120, saw(earlier))
    ground.guests.worksFor(600_000)
    const running = ground.cds.addJobV1({ requirements: [{ name: 'deb', type: 'model', value: 'shared.infra/deb' }] })
    await until(() => running.status === 'Building', 120, saw(earlier))
    await earlier.kill('SIGTERM')
    ground.proxy.fault = noListing
    const job = ground.addJob()
    const hatchery = await ground.start(file)
    // Whoever looks at this page makes it compare the workers that CDS knows with the VMs.
    const listings = () => ground.cds.calls().get('workers v1') ?? 0
    for (let looks = 0, before = listings(); looks < 10 && listings() < before + 3; looks++) {
      await fetch(`${file.pages}/mon/workers`)
      await sleep(4_000)
    }
    expect([job.status, running.status]).toEqual(['Waiting', 'Building'])
    expect([...ground.cds.calls().keys()].filter(call => call.startsWith('disable'))).toEqual([])
    ground.proxy.fault = () => undefined
    ground.guests.worksFor(1_000)
    await allSucceed([job, running], hatchery)
  })
})
