import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { play } from '../../../src/cli/testing/played-io.ts'
import type { JobV2 } from '../../../src/simulation/index.ts'
import { Ground, type OperatorFile, otherTemplate, template, until } from './ground.ts'
import type { HatcheryProcess } from './hatchery-process.ts'
import { readBack, type SeenVm } from './read-back.ts'

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const notYet = '0001-01-01T00:00:00Z'

let ground: Ground
let file: OperatorFile
let hatchery: HatcheryProcess

const isOver = ({ status }: { readonly status: string }) => ['Success', 'Fail', 'Stopped'].includes(status)
const saw = () => `${hatchery.log().split('\n').slice(-30).join('\n')}\n${ground.guests.ends.join('\n')}`
/** Long enough for whoever wants to look at a worker. */
const long = 600_000
/** Lets the job come to its end. */
const succeeds = async (job: { readonly status: string }) => {
  ground.guests.worksFor(0)
  await until(() => isOver(job), 90, saw)
  ground.guests.worksFor(long)
  expect(job.status).toBe('Success')
}
const workerOf = async (job: JobV2): Promise<SeenVm> => {
  await until(() => job.status === 'Building', 60, saw)
  const seen = (await readBack(ground, job.worker))[job.worker]
  return seen ?? expect.unreachable(`pyvmomi does not see ${job.worker}`)
}
const command = (line: string) =>
  play([...line.split(' '), '--kubeconfig', `${ground.folder}/data/kubeconfig`], { folder: ground.folder, columns: 300 })
const page = async (path: string) => {
  const answer = await fetch(`${file.pages}${path}`)
  return { status: answer.status, text: await answer.text() }
}

beforeAll(async () => {
  ground = await Ground.lay({ workers: { work: [long, long] } })
  const machine = {
    image: template,
    pre_cmd: 'curl {{.API}}/download/worker/linux/amd64 -o worker',
    cmd: './worker --config={{.Config}}',
    post_cmd: 'sudo shutdown -h now',
    user: 'root',
    password: 'guestpw',
  }
  ground.cds.addModelV1({ name: 'deb', machine })
  file = await ground.operatorFile('hv1', { ready: 2 })
  hatchery = await ground.start(file, `${ground.folder}/data`)
})
afterAll(() => ground?.[Symbol.asyncDispose]())

test('VMs are made ready: linked clones with an address of the range, switched off, and their annotation says what they are', async () => {
  await until(() => ground.ready().length === 2, 60, saw)
  const seen = await readBack(ground, ...ground.ready().map(({ name }) => name))
  const addresses = new Set<string>()
  for (const [name, vm] of Object.entries(seen)) {
    expect(name).toMatch(/^provision-v2-/)
    expect(vm).toMatchObject({ cpus: 1, memoryMB: 32, power: 'poweredOff', template: false, linked: true, networks: ['VM Network'] })
    expect(vm.cards).toEqual([expect.stringContaining('VirtualE1000')])
    const note = JSON.parse(vm.annotation) as Record<string, unknown>
    expect(note).toEqual({
      hatchery_name: 'hv1',
      worker_name: name,
      provisioning: true,
      vmware_model_path: template,
      created: expect.stringMatching(time),
      worker_start_time: notYet,
      ip_address: expect.stringMatching(/^10\.20\.0\.(1[6-9]|2\d|3[01])$/),
    })
    addresses.add(String(note['ip_address']))
  }
  expect(addresses.size).toBe(2)
})

const idsOf = (vms: readonly { readonly id: string }[]) => vms.map(({ id }) => id).toSorted()

describe('a V2 job', () => {
  test('that a web socket announces claims a VM that stands ready, gets the default flavor, and ends', async () => {
    await until(() => ground.cds.webSockets().v1 === 1 && ground.cds.webSockets().v2 === 1, 60, saw)
    const polls = () => ground.cds.calls().get('queue v2') ?? 0
    const standing = new Map(ground.ready().map(({ id, note }) => [id, (note as { readonly ip_address: string }).ip_address]))
    // Right after a poll the next one is far.
    const earlier = polls()
    await until(() => polls() > earlier, 60, saw)
    const before = polls()
    const job = ground.addJob()
    await until(() => job.status !== 'Waiting', 60, saw)
    expect(polls()).toBe(before)
    const vm = await workerOf(job)
    const [claimed] = ground.other.platform.inventory.byName(job.worker)
    const address = standing.get(claimed?.id ?? '')
    expect(address).toBeDefined()
    expect(vm).toMatchObject({ cpus: 2, memoryMB: 256, power: 'poweredOn', address })
    expect(vm.processes.at(-1)).toContain('worker 1>/tmp/worker.log')
    expect(JSON.parse(vm.annotation)).toEqual({
      hatchery_name: 'hv1',
      worker_name: job.worker,
      vmware_model_path: template,
      created: expect.stringMatching(time),
      worker_start_time: expect.stringMatching(time),
      job_id: job.id,
      ip_address: address,
      flavor: 'small',
    })
    expect(JSON.parse(vm.annotation).worker_start_time).not.toBe(notYet)
    const launched = ground.guests.programs.findLast(({ vm: id, environment }) => id === claimed?.id && 'CDS_CONFIG' in environment)
    const { environment } = launched ?? expect.unreachable()
    expect(Object.keys(environment).toSorted()).toEqual(['CDS_CONFIG', 'PLACE'])
    await succeeds(job)
    expect(job.infos.map(({ message }) => message)).toContain(`Worker "${job.worker}" will use flavor "small" (2 vCPUs, 256 MB RAM)`)
  })

  test('whose VM is done leaves nothing, and another VM is made ready in its place', async () => {
    await until(() => ground.ready().length === 2 && ground.vms().filter(({ template: is }) => !is).length === 2, 60, saw)
    await until(async () => (await ground.sim.state()).tasks === 0, 60, saw)
    expect(ground.cds.heldJobs()).toEqual([])
  })

  test('that only the queue tells of is found by asking', async () => {
    ground.takesWebSockets = false
    ground.cds.endWebSockets('close')
    await until(() => ground.cds.webSockets().v2 === 0)
    const job = ground.addJob()
    await until(() => job.status !== 'Waiting', 60, saw)
    expect(ground.cds.webSockets()).toEqual({ v1: 0, v2: 0 })
    ground.takesWebSockets = true
    await succeeds(job)
  })

  test('for which no VM stands ready gets a fresh clone of its flavor', async () => {
    const job = ground.addJob({ image: otherTemplate, flavor: 'LARGE' })
    const vm = await workerOf(job)
    expect(vm).toMatchObject({ cpus: 4, memoryMB: 512, power: 'poweredOn', linked: true })
    const note = JSON.parse(vm.annotation) as Record<string, unknown>
    expect(note).toMatchObject({ vmware_model_path: otherTemplate, flavor: 'large', job_id: job.id, ip_address: vm.address })
    expect(note['provisioning']).toBeUndefined()
    await succeeds(job)
  })

  test('of another flavor resizes the VM that it claims', async () => {
    const standing = ground.ready().map(({ id }) => id)
    const job = ground.addJob({ flavor: 'large' })
    expect(await workerOf(job)).toMatchObject({ cpus: 4, memoryMB: 512 })
    expect(standing).toContain(ground.other.platform.inventory.byName(job.worker)[0]?.id)
    await succeeds(job)
  })

  test('of a flavor that nobody knows touches no VM; its user and `aviary why` read which one it is', async () => {
    await until(() => ground.ready().length === 2, 60, saw)
    const before = idsOf(ground.ready())
    const annotations = new Set<string>()
    const stopLooking = ground.other.platform.inventory.onChange(({ now }) => annotations.add(now?.annotation ?? ''))
    const job = ground.addJob({ flavor: 'enormous' })
    await until(() => job.infos.some(({ message }) => message.includes('flavor "enormous" not found in hatchery configuration')), 60, saw)
    await until(async () => (await command(`why job/${job.id}`)).out.includes('flavor "enormous" not found'), 60, saw)
    stopLooking()
    expect([...annotations].filter(annotation => annotation.includes(job.id))).toEqual([])
    expect(idsOf(ground.ready())).toEqual(before)
    expect((await command('hatchery jobs')).out).toContain(job.id)
    ground.cds.stopJob(job.id)
  })
})

test('a V1 model is registered with a template of its own, and a V1 job runs on it', async () => {
  const model = 'shared.infra/deb'
  await until(() => ground.other.platform.inventory.byName('deb').some(vm => vm.template), 90, saw)
  const built = (await readBack(ground, 'deb'))['deb']
  expect(built).toMatchObject({ template: true })
  expect(JSON.parse(built?.annotation ?? '')).toMatchObject({ hatchery_name: 'hv1', model: true, worker_model_path: model })
  const job = ground.cds.addJobV1({ requirements: [{ name: 'deb', type: 'model', value: model }] })
  await until(() => job.status === 'Building', 90, saw)
  await succeeds(job)
  expect(job.infos.map(({ id }) => id)).toContain('MsgSpawnInfoHatcheryStarts')
})

test('its pages and tables answer', async () => {
  const status = await page('/mon/status')
  expect(status.status).toBe(200)
  expect(status.text).toMatch(/"component":"Workers","value":"\d+\/unlimited"/)
  const workers = await page('/mon/workers')
  expect([workers.status, Array.isArray(JSON.parse(workers.text))]).toEqual([200, true])
  expect((await page('/mon/metrics')).text).toMatch(/^cds_hatchery_vsphere_\w+\{.*service_name="hv1".*\} \d/m)
  expect((await page('/mon/nothing')).status).toBe(404)
  await until(async () => new RegExp(`${template} +V2 +2 +2`).test((await command('hatchery pool')).out), 60, saw)
  expect((await command('hatchery addresses')).out).toMatch(/\b16 +\d/)
})

test('asked to end, it ends with 0 within seconds, signs out everywhere, and leaves a worker to its job', async () => {
  await until(() => ground.ready().length === 2, 60, saw)
  const job = ground.addJob()
  await until(() => job.status === 'Building', 60, saw)
  const { sessions } = await ground.sim.state()
  const { code, log } = await hatchery.kill('SIGTERM')
  expect(code, log).toBe(0)
  expect((await ground.sim.state()).sessions).toBe(sessions - 1)
  expect(ground.other.platform.inventory.byName(job.worker)[0]?.power).toBe('on')
  await succeeds(job)
  expect(ground.cds.wrongs()).toEqual({ onTwoWorkers: [], startedAgain: [], resurrected: [], takenFromWorker: [] })
})
