import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aroundCalls, measured, type Vm } from '../../platform/index.ts'
import { prometheusMetrics, seededChance, VirtualClock } from '../../ports/index.ts'
import { SimulatedPlatform, simulatedPlatform } from './simulated-platform.ts'
import { settle } from './testing/settle.ts'
import { withFaults } from './with-faults.ts'
import { SimulatedWorld } from './world.ts'

const never = new AbortController().signal

/** Does something again until it works, as a controller does. */
async function untilDone<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      return await act()
    } catch (error) {
      if (tries === 199) throw error
    }
  }
  throw new Error('unreachable')
}

test('whatever fails when, a caller who tries again ends up with one VM of each name, and nothing of others is touched', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 5 }), async (seed, wanted) => {
      const clock = new VirtualClock()
      const chance = seededChance(seed)
      const world = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian' }] })
      world.addVm({ name: 'foreign', annotation: 'hands off' })
      const before = world.byName('foreign')
      // Faults on both levels: those that the platform must resolve by itself, and those that it hands on.
      world.faults.atRandom(seededChance(seed + 1), { before: 0.1, after: 0.1, hang: 0.05 })
      const rates = { before: 0.1, after: 0.1, hang: 0.05 }
      const platform = withFaults(simulatedPlatform({ world, chance }), { clock, chance: seededChance(seed + 2), rates })
      const lives = Array.from({ length: wanted }, async (_, index): Promise<Vm> => {
        const [name, annotation, claimed] = [`ready-${index}`, `{"mine":${index}}`, `{"claimed":${index}}`]
        const isOurs = (vm: Vm) => vm.annotation === annotation
        const { id } = await untilDone(() => platform.clone({ name, annotation, template: 'debian', isOurs }, never))
        const request = { id, expectedName: name, name: `claimed-${index}`, annotation: claimed }
        await untilDone(() => platform.claim(request, never))
        await untilDone(() => platform.powerOn(id, never))
        const vm = await untilDone(() => platform.powerOff(id, never))
        if (index % 2 === 1) await untilDone(() => platform.destroy(id, never))
        return vm
      })
      await settle(clock, Promise.all(lives))
      const names = world
        .vms()
        .map(vm => vm.name)
        .toSorted()
      const claimed = Array.from({ length: wanted }, (_, index) => index).filter(index => index % 2 === 0)
      expect(names).toEqual(['debian', 'foreign', ...claimed.map(index => `claimed-${index}`)].toSorted())
      expect(world.byName('foreign')).toEqual(before)
      expect(world.tasks().filter(task => task.state === 'running')).toEqual([])
    }),
    { numRuns: 20 },
  ))

test('the same seed gives the same world', async () => {
  const history = async () => {
    const clock = new VirtualClock()
    const chance = seededChance(5)
    const world = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian' }] })
    world.faults.atRandom(chance, { before: 0.2, after: 0.2 })
    const platform = simulatedPlatform({ world, chance })
    const make = (name: string) => platform.clone({ name, annotation: '', template: 'debian', isOurs: () => true }, never)
    const vms = await settle(clock, Promise.all(['a', 'b', 'c'].map(make)))
    await settle(clock, Promise.all(vms.map(vm => platform.powerOn(vm.id, never))))
    await clock.advance(60_000)
    return { now: clock.now(), vms: world.vms(), tasks: world.tasks() }
  }
  expect(await history()).toEqual(await history())
})

test('metrics tell how calls ended', async () => {
  const clock = new VirtualClock()
  const chance = seededChance(5)
  const world = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian' }] })
  const metrics = prometheusMetrics()
  const platform = measured(simulatedPlatform({ world, chance }), { metrics, clock })
  await settle(clock, platform.clone({ name: 'a', annotation: '', template: 'debian', isOurs: () => true }, never))
  await settle(
    clock,
    platform.powerOn('vm-99', never).catch(() => {}),
  )
  await platform.powerOn('vm-99', AbortSignal.abort(new Error('no'))).catch(() => {})
  const text = await metrics.text()
  expect(text).toContain('aviary_platform_call_seconds_count{platform="simulated",operation="clone",outcome="ok"} 1')
  expect(text).toContain('operation="powerOn",outcome="PLATFORM_NOT_THERE"} 1')
  expect(text).toContain('operation="powerOn",outcome="given up"} 1')
})

test('every call goes through what stands around it', async () => {
  const clock = new VirtualClock()
  const chance = seededChance(5)
  const world = new SimulatedWorld({ clock, chance })
  const real = simulatedPlatform({ world, chance })
  const platform = aroundCalls(real, ({ operation }) => Promise.reject(new Error(operation)))
  const quiet = new Set(['name', 'inventory', 'tasks', 'close'])
  const calls = Object.entries(platform).filter(([name]) => !quiet.has(name))
  const ofTheRealOne = Object.getOwnPropertyNames(SimulatedPlatform.prototype).filter(name => !quiet.has(name))
  expect(calls.map(([name]) => name).toSorted()).toEqual(ofTheRealOne.filter(name => name !== 'constructor' && name !== 'crash').toSorted())
  for (const [name, call] of calls)
    await expect((call as (...args: unknown[]) => Promise<unknown>)({ id: '' }, never)).rejects.toThrow(name)
})
