import { readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type OperatorFile, template, until } from '../hatchery/ground.ts'
import type { HatcheryProcess } from '../hatchery/hatchery-process.ts'
import { never } from '../vsphere/vcenter.ts'
import { RealGround } from './real-ground.ts'

const name = 'hv1'
const model = 'shared.infra/deb'

let ground: RealGround
let file: OperatorFile
let hatchery: HatcheryProcess

const saw = () => {
  const vms = ground.vms().map(({ name: vm, power, template: isOne }) => `${vm} ${isOne ? 'template' : power}`)
  return [hatchery.log().split('\n').slice(-40).join('\n'), ...vms, ...ground.guests.ends].join('\n')
}
const isOver = (status: string) => ['Success', 'Fail', 'Stopped'].includes(status)
const jobV2 = (job: string) => ground.administrator.jobV2(job)
const ended = async (job: string) => {
  await until(async () => isOver((await jobV2(job)).status), 240, saw)
  return (await jobV2(job)).status
}
/** The worker that has a job, once it has begun it. */
async function workerOf(job: string): Promise<string> {
  let worker = ''
  await until(async () => (worker = (await jobV2(job)).worker_name ?? '') !== '', 120, saw)
  return worker
}
/** How many workers have begun a V2 job, as the API told whoever watches it. */
const beginnings = async (job: string) => {
  const infos = await ground.administrator.infosV2(job)
  return infos.filter(({ message }) => message.endsWith('is starting for job "j1"')).length
}
const isTidy = () => ground.workers().length === 0 && ground.ready().length === 2
/** Somebody destroys a VM behind the hatchery's back. */
const destroy = async (vm: string) => {
  const [found] = ground.other.platform.inventory.byName(vm)
  const id = found?.id ?? expect.unreachable(`there is no VM ${vm}`)
  await ground.other.platform.powerOff(id, never)
  await ground.other.platform.destroy(id, never)
}
/** Does something when the hatchery makes this call of vCenter for the so-manieth time from now on, before vCenter hears of it. */
const onCall = (method: string, count: number, act: () => Promise<unknown>) =>
  new Promise<void>(resolve => {
    let seen = 0
    ground.proxy.onCall = async called => {
      if (called !== method || ++seen !== count) return
      ground.proxy.onCall = () => {}
      await act()
      resolve()
    }
  })

beforeAll(async () => {
  ground = await RealGround.lay()
  await ground.administrator.addModelV1('deb', {
    image: template,
    user: 'root',
    password: 'guestpw',
    pre_cmd: 'true',
    cmd: 'PATH=$PATH ./worker',
    post_cmd: 'sudo shutdown -h now',
  })
  file = await ground.operatorFile(name, { ready: 2 })
  hatchery = await ground.start(file, `${ground.folder}/data`)
  await until(() => ground.other.platform.inventory.byName('deb').some(vm => vm.template), 120, saw)
})
afterAll(() => ground?.[Symbol.asyncDispose]())
beforeEach(async () => {
  ground.guests.worksFor(2_000)
  await until(isTidy, 170, saw)
})
afterEach(async () => {
  ground.proxy.onCall = () => {}
  await ground.door.open()
})

describe('the VM of a worker is destroyed behind its back', () => {
  test('a V1 worker is disabled, by which CDS ends its job', { timeout: 600_000 }, async () => {
    ground.guests.worksFor(600_000)
    const job = await ground.administrator.startJobV1({ project: 'NESTONE', requirements: [`model: ${model}`] })
    const workers = async () => (await ground.administrator.ask('GET', '/worker')) as { name: string; status: string }[]
    await until(async () => (await workers()).some(({ status }) => status === 'Building'), 120, saw)
    const { name: worker } = (await workers()).find(({ status }) => status === 'Building') ?? expect.unreachable()
    await destroy(worker)
    await until(async () => (await workers()).every(each => each.name !== worker || each.status === 'Disabled'), 60, saw)
    await until(async () => isOver(await ground.administrator.statusOfV1(job)), 60, saw)
    expect(await ground.administrator.statusOfV1(job)).toBe('Fail')
  })

  test('a V2 job is given back and runs on another worker', { timeout: 600_000 }, async () => {
    ground.guests.worksFor(600_000)
    const job = await ground.startJob()
    const first = await workerOf(job)
    await destroy(first)
    await until(async () => !['', first].includes((await jobV2(job)).worker_name ?? ''), 120, saw)
    ground.guests.worksFor(2_000)
    expect(await ended(job)).toBe('Success')
    expect((await jobV2(job)).worker_name).not.toBe(first)
    expect(await beginnings(job)).toBe(2)
  })

  test('a V2 job that has ended by then stays ended', { timeout: 600_000 }, async () => {
    const job = await ground.startJob()
    const worker = await workerOf(job)
    expect(await ended(job)).toBe('Success')
    // Unless the hatchery was quicker.
    await destroy(worker).catch(() => {})
    await until(isTidy, 90, saw)
    expect([await ended(job), await beginnings(job)]).toEqual(['Success', 1])
  })
})

test('sessions that CDS revokes are replaced, whatever the hatchery is doing', { timeout: 600_000 }, async () => {
  await ground.revokeSessions(name)
  const first = await ground.startJob()
  expect(await ended(first)).toBe('Success')
  ground.guests.worksFor(600_000)
  const second = await ground.startJob()
  await workerOf(second)
  await ground.revokeSessions(name)
  ground.guests.worksFor(2_000)
  expect([await ended(second), await beginnings(second)]).toEqual(['Success', 1])
  await until(async () => (await ground.sessionsOf(name)) === 2, 90, saw)
  await until(async () => (await ground.statusOf(name)).v2.length > 0, 90, saw)
})

test('while the API is away for a minute nothing is lost and no worker ends; afterwards all goes on', { timeout: 1_000_000 }, async () => {
  ground.guests.worksFor(600_000)
  const running = await ground.startJob()
  const worker = await workerOf(running)
  // The door falls shut in the middle of a spawn: its worker is launched and cannot sign in.
  const shut = onCall('StartProgramInGuest', 2, () => ground.door.close())
  const caught = await ground.startJob()
  await shut
  const unheard = await ground.startJob()
  await sleep(60_000)
  expect(ground.workers().map(vm => vm.name)).toContain(worker)
  expect(ground.other.platform.inventory.byName(worker)[0]?.power).toBe('on')
  expect(await jobV2(running)).toMatchObject({ status: 'Building', worker_name: worker })
  await ground.door.open()
  ground.guests.worksFor(2_000)
  expect([await ended(running), await ended(caught), await ended(unheard)]).toEqual(['Success', 'Success', 'Success'])
  expect([await beginnings(running), await beginnings(caught), await beginnings(unheard)]).toEqual([1, 1, 1])
})

describe('killed in the middle of a spawn and started again, the job gets exactly one worker:', () => {
  let impatient: OperatorFile
  beforeAll(async () => {
    // Without its records the hatchery gives a worker that never comes this long, in minutes.
    const text = (await readFile(file.path, 'utf8')).replace(
      'workerProvisioningInterval',
      'workerRegistrationTTL = 1\nworkerProvisioningInterval',
    )
    impatient = { ...file, path: file.path.replace('.toml', '-impatient.toml') }
    await writeFile(impatient.path, text, { mode: 0o600 })
  })

  const moments = [
    { during: 'the claim of a VM that stood ready', method: 'ReconfigVM_Task', count: 1 },
    { during: 'the start of its VM', method: 'PowerOnVM_Task', count: 1 },
    { during: 'the launch of the worker', method: 'StartProgramInGuest', count: 2 },
  ]

  test.each([
    ...moments.map(moment => ({ ...moment, store: 'kept', keeps: true })),
    ...moments.map(moment => ({ ...moment, store: 'lost', keeps: false })),
  ])('$during, data folder $store', { timeout: 700_000 }, async ({ method, count, keeps }) => {
    const killed = onCall(method, count, () => hatchery.kill('SIGKILL'))
    const job = await ground.startJob()
    await killed
    if (!keeps) await rm(`${ground.folder}/data`, { recursive: true, force: true })
    hatchery = await ground.start(impatient, `${ground.folder}/data`)
    expect(await ended(job)).toBe('Success')
    await until(isTidy, 170, saw)
    expect([(await jobV2(job)).status, await beginnings(job)]).toEqual(['Success', 1])
  })
})
