import { describe, expect, test } from 'vitest'
import { NoCapacity, NotThere, SignInRefused, type CloneRequest } from '../../platform/index.ts'
import { DeadlineExceeded, Secret, seededChance, Unreachable, VirtualClock } from '../../ports/index.ts'
import type { GuestProgram } from './guest-process.ts'
import { simulatedPlatform } from './simulated-platform.ts'
import { settle } from './testing/settle.ts'
import { SimulatedWorld } from './world.ts'
import type { WorldOptions } from './world-options.ts'

const never = new AbortController().signal
const twoHosts = [
  { name: 'one', cpus: 8, memoryMB: 9_000 },
  { name: 'other', cpus: 8, memoryMB: 9_000 },
]
const root = { user: 'root', password: new Secret('any') }

function setUp(options: Partial<WorldOptions> = {}) {
  const clock = new VirtualClock()
  const chance = seededChance('world')
  const world = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian', cpus: 2, memoryMB: 4096 }], ...options })
  const connect = () => simulatedPlatform({ world, chance })
  const request = (name: string, more: Partial<CloneRequest> = {}): CloneRequest => ({
    name,
    annotation: '',
    template: 'debian',
    isOurs: () => true,
    ...more,
  })
  const platform = connect()
  const made = (name: string, more: Partial<CloneRequest> = {}) => settle(clock, platform.clone(request(name, more), never))
  const started = async (name: string) => {
    const { id } = await made(name)
    await settle(clock, platform.powerOn(id, never))
    await settle(clock, platform.waitForGuest(id, never))
    return id
  }
  const failure = (promise: Promise<unknown>) =>
    settle(
      clock,
      promise.catch((error: unknown) => error),
    )
  return { clock, world, connect, request, platform, made, started, failure }
}

describe('room', () => {
  test('VMs start as long as a host has memory for them, and their room is free again when they are off', async () => {
    const { clock, platform, made, failure } = setUp({ hosts: [{ name: 'only', cpus: 8, memoryMB: 9_000 }] })
    const vms = [await made('a'), await made('b'), await made('c')]
    for (const { id } of vms.slice(0, 2)) await settle(clock, platform.powerOn(id, never))
    expect(NoCapacity.is(await failure(platform.powerOn(vms[2]!.id, never)))).toBe(true)
    expect((await platform.capacity()).memoryMB).toEqual({ limit: undefined, unreserved: 808, used: 8192 })
    await settle(clock, platform.powerOff(vms[0]!.id, never))
    expect((await settle(clock, platform.powerOn(vms[2]!.id, never))).host).toBe('only')
  })

  test('VMs are spread over the hosts when they are made, and each keeps its host while it is off', async () => {
    const { clock, world, platform, made } = setUp({ hosts: twoHosts })
    const vms = [await made('a'), await made('b'), await made('c')]
    expect(world.byName('debian')?.host).toBe('one')
    expect(vms.map(vm => vm.host)).toEqual(['other', 'one', 'other'])
    const { id } = vms[0]!
    expect((await settle(clock, platform.powerOn(id, never))).host).toBe('other')
    expect((await settle(clock, platform.powerOff(id, never))).host).toBe('other')
  })

  test('a VM whose host has no room for it starts on another one, and stays there', async () => {
    const { clock, world, platform, made } = setUp({ hosts: twoHosts })
    const vms = [await made('a'), await made('b')]
    expect(world.addVm({ name: 'giant', memoryMB: 8_000, power: 'on' }).host).toBe('other')
    const { id, host } = vms[0]!
    expect(host).toBe('other')
    expect((await settle(clock, platform.powerOn(id, never))).host).toBe('one')
    expect((await settle(clock, platform.powerOff(id, never))).host).toBe('one')
  })

  test('a full datastore takes no more clones', async () => {
    const { platform, made, request, failure } = setUp({ mostVms: 2 })
    await made('a')
    expect(NoCapacity.is(await failure(platform.clone(request('b'), never)))).toBe(true)
  })

  test('a pool has its own limits, and one that is not there is named', async () => {
    const { platform, made, failure } = setUp({ pools: [{ name: 'ci', memoryMB: 1_000 }] })
    await made('a')
    expect((await platform.capacity('ci')).memoryMB).toEqual({ limit: 1_000, unreserved: 1_000, used: 0 })
    expect(NotThere.is(await failure(platform.capacity('prod')))).toBe(true)
  })
})

describe('guests', () => {
  test('a hook plays the programs that run in them, with what they were given', async () => {
    const { clock, world, platform, started } = setUp()
    const seen: GuestProgram[] = []
    world.onProgram(program => seen.push(program))
    const id = await started('worker')
    const command = { ...root, program: '/bin/worker', args: '--now', environment: { KEY: new Secret('hidden'), PLACE: 'here' } }
    const process = await settle(clock, platform.runInGuest(id, command, never))
    expect(seen.map(({ program, args, environment }) => [program, args, environment])).toEqual([
      ['/bin/worker', '--now', { KEY: 'hidden', PLACE: 'here' }],
    ])
    expect(await settle(clock, platform.guestExit(id, process, root, never))).toBeUndefined()
    seen[0]!.exit(3)
    expect(await settle(clock, platform.guestExit(id, process, root, never))).toBe(3)
  })

  test('a program can end its guest, and one whose VM is gone runs no more', async () => {
    const { clock, world, platform, started } = setUp()
    const seen: GuestProgram[] = []
    world.onProgram(program => seen.push(program))
    const [first, second] = [await started('first'), await started('second')]
    for (const id of [first, second]) await settle(clock, platform.runInGuest(id, { ...root, program: 'x', args: '' }, never))
    seen[0]!.shutDown()
    world.removeVm(second)
    await clock.advance(60_000)
    expect(seen.map(program => [program.running(), program.vm()?.power])).toEqual([
      [false, 'off'],
      [false, undefined],
    ])
  })

  test('what a boot set going has no effect on a VM that is off again', async () => {
    const { clock, world, platform, made } = setUp()
    const { id } = await made('short')
    await settle(clock, platform.powerOn(id, never))
    await settle(clock, platform.powerOff(id, never))
    await clock.advance(600_000)
    expect(world.find(id)?.vm).toMatchObject({ power: 'off', guestReady: false, addresses: [] })
  })

  test('a sick template makes guests that never come up, and whoever waits is told in the end', async () => {
    const { clock, platform, made, failure } = setUp({ templates: [{ name: 'debian', sick: 'no address' }] })
    const { id } = await made('sick')
    await settle(clock, platform.powerOn(id, never))
    expect(DeadlineExceeded.is(await failure(platform.waitForAddress(id, () => true, never)))).toBe(true)
  })
})

describe('connections', () => {
  test('a crash keeps the world: its tasks end, and the next program finds what they made', async () => {
    const { clock, world, connect, request, platform } = setUp()
    let answered = false
    void platform.clone(request('orphan'), never).finally(() => (answered = true))
    await clock.advance(2_000)
    platform.crash()
    await clock.advance(600_000)
    expect([answered, world.byName('orphan')?.power]).toEqual([false, 'off'])
    const next = connect()
    const found = await settle(clock, next.clone(request('orphan'), never))
    expect(found.id).toBe(world.byName('orphan')?.id)
  })

  test('a platform that does not answer is unknown, not empty, and is known again when it answers', async () => {
    const { clock, world, platform, made, failure } = setUp()
    const { id } = await made('kept')
    world.setReachable(false)
    expect(() => platform.inventory.all()).toThrow('does not answer')
    expect(Unreachable.is(await failure(platform.powerOn(id, never)))).toBe(true)
    expect(Unreachable.is(await failure(platform.capacity()))).toBe(true)
    world.setReachable(true)
    await settle(clock, platform.inventory.whenLive(never))
    expect(platform.inventory.byId(id)?.name).toBe('kept')
  })

  test('a refused sign-in is not tried again', async () => {
    const { clock, world, platform, made, failure } = setUp()
    const { id } = await made('kept')
    world.refuseSignIn(true)
    world.expireSessions()
    expect(SignInRefused.is(await failure(platform.powerOn(id, never)))).toBe(true)
    world.refuseSignIn(false)
    await clock.advance(3_600_000)
    expect(SignInRefused.is(await failure(platform.powerOn(id, never)))).toBe(true)
    expect(platform.inventory.state.kind).toBe('unknown')
  })

  test('an answer that never comes is looked for, and a task that never ends is called off at its deadline', async () => {
    const { world, platform, made, request, failure } = setUp()
    world.faults.cutNext('clone', 'hang')
    expect((await made('slow')).name).toBe('slow')
    world.slowNext('clone', Infinity)
    expect(DeadlineExceeded.is(await failure(platform.clone(request('endless'), never)))).toBe(true)
    expect(world.tasks().filter(task => task.state === 'running')).toEqual([])
  })
})

test('two guests with one address are found', () => {
  const { world } = setUp()
  world.addVm({ name: 'a', addresses: ['10.0.0.1', '10.0.0.2'] })
  world.addVm({ name: 'b', addresses: ['10.0.0.2'] })
  expect(world.addressConflicts()).toEqual(['10.0.0.2'])
})
