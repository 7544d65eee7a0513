import fc from 'fast-check'
import { expect, test } from 'vitest'
import { governed, Governor, type Platform } from '../../platform/index.ts'
import { seededChance, VirtualClock } from '../../ports/index.ts'
import { simulatedPlatform } from './simulated-platform.ts'
import { settle } from './testing/settle.ts'
import { SimulatedWorld } from './world.ts'

const never = new AbortController().signal
const hosts = ['a', 'b'].map(name => ({ name, cpus: 64, memoryMB: 262_144 }))
const perHost = 3
const fullClone = 2
const linked = (name: string) => ({ name, annotation: '', template: 'debian', isOurs: () => true })
const full = (name: string) => ({ ...linked(name), linked: false })

async function setUp(hold: 'held back' | 'unheld') {
  const clock = new VirtualClock()
  const chance = seededChance('hosts')
  const timings = { linkedClone: [2_000, 6_000], fullClone: [6_000, 12_000] } as const
  const world = new SimulatedWorld({ clock, chance, hosts, timings, templates: [{ name: 'debian' }] })
  const governor = new Governor({ platform: 'simulated', clock, limits: { total: 100, perHost, weights: { fullClone } } })
  const client = simulatedPlatform({ world, chance })
  const platform = hold === 'unheld' ? client : governed(client, governor, 'tests')
  await settle(clock, client.inventory.whenLive(never))
  return { clock, world, governor, platform }
}

/** Does something until it is done, and looks all along at what goes on. Resolves to the most weight that each host bore at once. */
async function heaviest({ clock, world }: Awaited<ReturnType<typeof setUp>>, work: readonly Promise<unknown>[]): Promise<number[]> {
  const most = new Map(hosts.map(({ name }) => [name, 0]))
  let isOver = false
  void Promise.allSettled(work).then(() => (isOver = true))
  for (let tick = 0; !isOver && tick < 20_000; tick++) {
    const now = new Map<string, number>()
    for (const { target, state, operation } of world.tasks()) {
      if (state !== 'running') continue
      const host = (operation === 'clone' ? world.byName('debian') : world.find(target)?.vm)?.host ?? 'none'
      now.set(host, (now.get(host) ?? 0) + (target.startsWith('full') ? fullClone : 1))
    }
    for (const [host, weight] of now) most.set(host, Math.max(most.get(host) ?? 0, weight))
    await clock.advance(100)
  }
  expect(isOver).toBe(true)
  return [...most.values()]
}

test.each([
  ['held back', [perHost, perHost]],
  ['unheld', [6, 6]],
] as const)('VMs that are off start as many at once as the host of each may bear: %s', async (hold, most) => {
  const ground = await setUp(hold)
  const { clock, world, governor, platform } = ground
  const vms = Array.from({ length: 12 }, (_, index) => world.addVm({ name: `vm ${index}` }))
  await clock.advance(1_000)
  const starts = vms.map(({ id }) => platform.powerOn(id, never))
  const obstacles = new Set(governor.waiting().map(({ reason, message }) => `${reason}: ${message}`))
  expect(await heaviest(ground, starts)).toEqual(most)
  expect(obstacles.has('HostBusy: host a does 3 of 3 already, this takes 1')).toBe(hold === 'held back')
  expect(world.vms().filter(({ power }) => power === 'on')).toHaveLength(12)
})

test('clones are borne by the host of their template', async () => {
  const ground = await setUp('held back')
  const clones = ['one', 'two', 'three', 'four', 'five'].map(name => ground.platform.clone(linked(name), never))
  expect(await heaviest(ground, clones)).toEqual([perHost, 0])
})

const deeds = fc.record({
  what: fc.constantFrom('powerOn', 'powerOff', 'destroy', 'annotate', 'rename', 'claim', 'clone', 'full clone', 'markAsTemplate'),
  vm: fc.nat(7),
  after: fc.nat(1_500),
})

test('whatever is done to VMs, running or not, no host ever bears more than it may', () =>
  fc.assert(
    fc.asyncProperty(fc.array(deeds, { maxLength: 40 }), async all => {
      const ground = await setUp('held back')
      const { clock, world, platform } = ground
      const vms = Array.from({ length: 8 }, (_, index) => world.addVm({ name: `vm ${index}`, power: index % 2 === 0 ? 'on' : 'off' }))
      await clock.advance(1_000)
      const work = all.map(async ({ what, vm, after }, index) => {
        await clock.sleep(after)
        await act(platform, what, vms[vm]!, index)
      })
      for (const weight of await heaviest(ground, work)) expect(weight).toBeLessThanOrEqual(perHost)
    }),
    { numRuns: 30 },
  ))

function act(platform: Platform, what: string, { id, name }: { readonly id: string; readonly name: string }, index: number) {
  if (what === 'clone') return platform.clone(linked(`linked ${index}`), never)
  if (what === 'full clone') return platform.clone(full(`full ${index}`), never)
  if (what === 'annotate') return platform.annotate(id, `note ${index}`, never)
  if (what === 'rename') return platform.rename(id, `renamed ${index}`, never)
  if (what === 'claim') return platform.claim({ id, expectedName: name, name: `claimed ${index}`, annotation: '' }, never)
  return platform[what as 'powerOn' | 'powerOff' | 'destroy' | 'markAsTemplate'](id, never)
}
