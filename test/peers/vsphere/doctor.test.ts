import { afterAll, beforeAll, expect, test } from 'vitest'
import { doctor, liveTasks, liveVms, type VsphereSettings } from '../../../src/vsphere/index.ts'
import { httpClient, realChance, realClock, Secret, silentLog } from '../../../src/ports/index.ts'
import { startVcsim, type Vcsim } from '../peer.ts'
import { connectTo, never, thumbprintOf } from './vcenter.ts'
import { makeTemplate } from './vcsim-world.ts'

let sim: Vcsim
let template: string

beforeAll(async () => {
  sim = await startVcsim({ vms: 3, deny: ['VirtualMachine.Config.Rename', 'Datastore.AllocateSpace'] })
  await using vcenter = await connectTo(sim)
  template = await makeTemplate(vcenter)
})
afterAll(() => sim.stop())

async function checkUp(settings: Partial<VsphereSettings>, templates: readonly string[] = []) {
  const clock = realClock()
  const http = httpClient({ clock, trust: { thumbprint: await thumbprintOf(sim.url) } })
  const whole = { url: sim.url, user: sim.user, password: new Secret(sim.password), ...settings }
  try {
    return await doctor({ settings: whole, http, clock, chance: realChance(), log: silentLog, templates }, never)
  } finally {
    await http.close()
  }
}

test('what is there and allowed is ok, each missing privilege says what breaks and how to fix it', async () => {
  const checks = await checkUp({ datacenter: 'DC0', resourcePool: 'Resources', datastore: 'LocalDS_0', network: 'VM Network' }, [template])
  expect(checks.filter(({ ok }) => !ok).map(({ what }) => what)).toEqual([
    'privilege VirtualMachine.Config.Rename on the folder',
    'privilege Datastore.AllocateSpace on datastore LocalDS_0',
  ])
  for (const { ok, breaks, fix } of checks) expect([ok, breaks !== undefined, fix !== undefined]).toEqual([ok, !ok, !ok])
  expect(checks.find(({ what }) => what === 'the version of the vCenter')?.found).toContain('vCenter')
})

test('each missing object is named, and the others are checked all the same', async () => {
  const checks = await checkUp({ folder: 'no-folder', resourcePool: 'no-pool', datastore: 'no-datastore', network: 'no-network' }, [
    'no-template',
    'DC0_C0_RP0_VM1',
  ])
  const failed = checks.filter(({ ok }) => !ok).map(({ what, found }) => `${what}: ${found}`)
  expect(failed).toEqual([
    'folder no-folder: there is no VM folder "no-folder"',
    'resource pool no-pool: there is no resource pool "no-pool"',
    'datastore no-datastore: there is no datastore "no-datastore"',
    'network no-network: there is no network "no-network"',
    'template no-template: there is no VM or template "no-template" in the datacenter',
    'template DC0_C0_RP0_VM1: "DC0_C0_RP0_VM1" is a VM, not a template',
  ])
})

test.each([
  [{ url: 'http://vcenter' }, 'the URL of the vCenter'],
  [{ url: 'https://user:password@vcenter' }, 'the URL of the vCenter'],
  [{ password: new Secret('wrong') }, 'signing in to'],
  [{ datacenter: 'no-datacenter' }, 'datacenter no-datacenter'],
])('what makes everything else impossible is the last check', async (settings, what) => {
  const last = (await checkUp(settings)).at(-1)!
  expect(last.what).toContain(what)
  expect(last).toMatchObject({ ok: false, breaks: expect.any(String), fix: expect.any(String) })
})

test('it leaves no session behind', async () => {
  await checkUp({}, [template])
  expect((await sim.state()).sessions).toBe(0)
})

test('live tables show every VM, and the tasks of everybody', async () => {
  await using mine = await connectTo(sim)
  await using other = await connectTo(sim)
  expect((await liveVms(mine.connection, never)).map(vm => vm.name)).toEqual(['DC0_C0_RP0_VM0', 'DC0_C0_RP0_VM1', 'DC0_C0_RP0_VM2'])
  const { id } = other.platform.inventory.byName('DC0_C0_RP0_VM1')[0]!
  await other.platform.powerOff(id, never)
  await sim.hold('powerOn')
  const stop = new AbortController()
  const held = other.platform.powerOn(id, stop.signal).catch(() => {})
  await expect.poll(async () => (await sim.state()).tasks).toBe(1)
  expect(await liveTasks(mine.connection, never)).toMatchObject([
    { target: 'DC0_C0_RP0_VM1', operation: 'VirtualMachine.powerOn', state: 'running' },
  ])
  stop.abort(new Error('enough'))
  await held
})
