import { expect, test } from 'vitest'
import { seededChance, VirtualClock } from '../../ports/index.ts'
import { simulatedPlatform, SimulatedWorld } from '../../simulation/index.ts'
import { aroundCalls } from '../around-calls.ts'
import type { CloneRequest } from '../platform.ts'
import { governed } from './governed.ts'
import { Governor } from './governor.ts'
import { TemplateDisks } from './template-disks.ts'

const never = new AbortController().signal

/** What clones weigh on the host of their template, and how often somebody asked for the size of its disk. */
async function weights(requests: readonly Partial<CloneRequest>[], { refuses = false } = {}) {
  const clock = new VirtualClock()
  const chance = seededChance(3)
  const world = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian', diskGB: 20 }] })
  const governor = new Governor({ platform: 'sim', clock, limits: { perHost: 100, weights: { fullClone: 4 } } })
  let asked = 0
  const inner = aroundCalls(simulatedPlatform({ world, chance }), (call, next) => {
    if (call.operation !== 'diskGB') return next()
    asked++
    return refuses ? Promise.reject(new Error('not now')) : next()
  })
  const platform = governed(inner, governor, 'hatchery')
  await clock.advance(1_000)
  const clones = requests.map((request, index) =>
    platform.clone({ name: `vm-${index}`, annotation: '', template: 'debian', isOurs: () => true, ...request }, never).catch(() => {}),
  )
  await clock.advance(1_000)
  const seen = new Map(governor.running().map(({ target, weight }) => [target, weight]))
  await clock.advance(3_600_000)
  await Promise.all(clones)
  return { weights: requests.map((_, index) => seen.get(`vm-${index}`)), asked }
}

test('a clone that wants a larger disk than its template has weighs as much as any full one, one that does not is linked', async () => {
  const requests = [{}, { linked: false }, { diskGB: 20 }, { diskGB: 21 }, { diskGB: 10 }, { linked: false, diskGB: 10 }]
  expect(await weights(requests)).toEqual({ weights: [1, 4, 1, 4, 1, 4], asked: 1 })
})

test('the disk of a template that was a VM for a while is asked for again: only then it can have grown', async () => {
  const clock = new VirtualClock()
  const chance = seededChance(3)
  const world = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian', diskGB: 20 }] })
  const platform = simulatedPlatform({ world, chance })
  await clock.advance(1_000)
  const disks = new TemplateDisks(platform)
  const isFull = async () => {
    const full = disks.isFullClone({ name: 'vm', annotation: '', template: 'debian', isOurs: () => true, diskGB: 30 }, never)
    await clock.advance(1_000)
    return await full
  }
  expect(await isFull()).toBe(true)
  const { id } = platform.inventory.byName('debian')[0]!
  world.changeVm(id, { template: false })
  world.growDisk(id, 40)
  await clock.advance(1_000)
  world.changeVm(id, { template: true })
  await clock.advance(1_000)
  expect(await isFull()).toBe(false)
})

test('a clone whose template cannot be looked at is taken for a full one', async () => {
  expect((await weights([{ diskGB: 1 }], { refuses: true })).weights).toEqual([4])
})
