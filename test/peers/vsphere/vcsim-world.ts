import { setTimeout as sleep } from 'node:timers/promises'
import type { Subject, World } from '../../../src/platform/contract/subject.ts'
import { Secret } from '../../../src/ports/index.ts'
import { child, containerView, refOf, retrieve } from '../../../src/vsphere/testing/inside.ts'
import { startVcsim, type VcsimOptions } from '../peer.ts'
import { FaultProxy } from './fault-proxy.ts'
import { connectTo, never, type Vcenter } from './vcenter.ts'

const guest = { user: 'worker', password: 'in the guest' }
const methods: Readonly<Record<Parameters<World['cutNext']>[0], string>> = {
  clone: 'CloneVM_Task',
  claim: 'ReconfigVM_Task',
  rename: 'Rename_Task',
  annotate: 'ReconfigVM_Task',
  powerOn: 'PowerOnVM_Task',
  powerOff: 'PowerOffVM_Task',
  shutDown: 'ShutdownGuest',
  runInGuest: 'StartProgramInGuest',
  destroy: 'Destroy_Task',
  markAsTemplate: 'MarkAsTemplate',
}

/** The platform on a simulated vCenter behind a proxy that harms calls, and somebody else with a way of their own. */
export interface VcsimSubject extends Subject {
  readonly vcenter: Vcenter
  readonly other: Vcenter
  readonly proxy: FaultProxy
  readonly sim: Awaited<ReturnType<typeof startVcsim>>
}

/** Starts a vCenter with one template for the behaviour suite. */
export async function vcsimSubject(options: VcsimOptions = {}): Promise<VcsimSubject> {
  const sim = await startVcsim({ vms: 4, cloneMs: 100, taskMs: 20, toolsMs: 100, addressMs: 150, guest, ...options })
  const proxy = await FaultProxy.start(sim.url)
  const other = await connectTo(sim)
  const template = await makeTemplate(other)
  const vcenter = await connectTo(sim, { url: proxy.url })
  const more: Vcenter[] = []
  let hold: string | undefined
  proxy.onCall = async method => {
    const task = method === 'CloneVM_Task' ? 'cloneVm' : method === 'PowerOnVM_Task' ? 'powerOn' : undefined
    if (hold === undefined || task !== hold) return
    hold = undefined
    await sim.hold(task)
  }
  const world: World = {
    template,
    login: { user: guest.user, password: new Secret(guest.password) },
    program: { program: '/bin/true', args: '--really' },
    settle: promise => promise,
    // Waiting is real here; what the suite calls a second need not be one.
    pass: milliseconds => sleep(Math.min(milliseconds, 50)),
    async connect() {
      const another = await connectTo(sim, { url: proxy.url })
      more.push(another)
      return another.platform
    },
    async foreignVm({ name, annotation = 'not ours', power = 'off' }) {
      const { id } = await other.platform.clone({ name, annotation, template, isOurs: vm => vm.name === name }, never)
      if (power === 'on') await other.platform.powerOn(id, never)
      return id
    },
    async rename(id, newName) {
      const { session, tasks } = other.connection
      const task = refOf(child(await session.call('Rename_Task', { type: 'VirtualMachine', id }, { newName }), 'returnval'))
      await tasks.end(task, { operation: 'Rename_Task', target: id }, never)
    },
    async remove(id) {
      // Others learn of a VM a moment later than who made it.
      for (let tries = 0; tries < 100 && other.platform.inventory.byId(id) === undefined; tries++) await sleep(20)
      await other.platform.destroy(id, never)
    },
    async named(name) {
      const { session, places } = other.connection
      const folder = (await places.datacenter()).folders.get('vmFolder')!
      const view = await containerView(session, folder, ['VirtualMachine'])
      const found = await retrieve(session, { type: 'VirtualMachine', paths: ['name'], from: view, through: 'view' })
      await session.call('DestroyView', view)
      return found.filter(vm => vm.properties.get('name')?.text === name).map(vm => vm.ref.id)
    },
    async programsStarted(id) {
      return (await other.connection.guests.list({ type: 'VirtualMachine', id }, world.login, [], never)).length
    },
    runningTasks: async () => (await sim.state()).tasks,
    cutNext: (call, when) => proxy.harmNext(methods[call], `cut ${when}`),
    expireSessions: () => sim.expire(),
    holdNext: call => (hold = call === 'clone' ? 'cloneVm' : 'powerOn'),
  }
  return {
    platform: vcenter.platform,
    world,
    vcenter,
    other,
    proxy,
    sim,
    async cleanup() {
      await Promise.all([vcenter, other, ...more].map(one => one[Symbol.asyncDispose]()))
      await proxy.stop()
      await sim.stop()
    },
  }
}

/** Turns one of the simulator's own VMs into a template and gives its name. */
export async function makeTemplate({ platform }: Vcenter): Promise<string> {
  const [vm] = platform.inventory.byName('DC0_C0_RP0_VM0')
  await platform.powerOff(vm!.id, never)
  return (await platform.markAsTemplate(vm!.id, never)).name
}
