import { expect, test } from 'vitest'
import { rehearse } from './rehearse.ts'
import { drawScene } from './scene.ts'

test.each([4, 23, 40])('the same seed gives the same run: seed %i', { timeout: 60_000 }, async seed => {
  const [one, other] = [await rehearse(seed), await rehearse(seed)]
  expect(one.trace().length).toBeGreaterThan(50)
  expect(other.trace()).toEqual(one.trace())
})

test('a storm can be made to last as long as somebody wants', { timeout: 60_000 }, async () => {
  const { wrongs, simulated, jobs } = await rehearse(3, 60 * 60_000)
  expect(wrongs).toEqual([])
  expect(simulated).toBeGreaterThan(60 * 60_000)
  expect(Array.from(jobs.values()).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(15)
})

/** Seeds that failed once. Each cause has tests of its own: a change of the product may lead a seed past what it once met. */
const failedOnce = [
  { seed: 2_002_273, was: 'the address of a claimed VM was given to a new VM of its former name' },
  { seed: 900_091, was: 'an interrupted registration was given up after one failed write' },
  { seed: 7_004_360, was: 'two hatcheries built one template, and the slower one kept its own under a temporary name' },
  { seed: 900_210, was: 'a VM that a person switched on was held against the limits of the hatchery' },
]

test.each(failedOnce)('seed $seed passes, in which $was', { timeout: 60_000 }, async ({ seed }) => {
  expect((await rehearse(seed)).wrongs).toEqual([])
})

test('five hundred seeds meet every trouble, both sorts of addresses, second hatcheries and calm days', () => {
  const scenes = Array.from({ length: 500 }, (_, index) => drawScene(index + 1))
  const troubles = new Set(scenes.flatMap(scene => scene.troubles.map(({ what }) => what)))
  expect(troubles.size).toBe(18)
  const count = (isSo: (scene: (typeof scenes)[number]) => boolean) => scenes.filter(isSo).length
  expect(count(({ addresses }) => addresses === 'DHCP')).toBeGreaterThan(50)
  expect(count(({ hatcheries }) => hatcheries.length > 1)).toBeGreaterThan(50)
  expect(count(({ sharedStore }) => sharedStore)).toBeGreaterThan(25)
  expect(count(({ sharedRange, addresses }) => sharedRange && addresses === 'ranges')).toBeGreaterThan(15)
  expect(count(({ weather: { store } }) => (store.before ?? 0) * (store.after ?? 0) * (store.conflict ?? 0) > 0)).toBeGreaterThan(100)
  expect(count(({ troubles: all, weather }) => all.length === 0 && weather.cds.before === undefined)).toBeGreaterThan(10)
  expect(count(({ hatcheries }) => hatcheries.some(each => each.grace === 180 && each.maxWorker === 10))).toBeGreaterThan(25)
  expect(count(({ hatcheries }) => hatcheries.some(({ maxMemoryMB }) => maxMemoryMB > 0))).toBeGreaterThan(100)
  const faulty = (part: 'messages' | 'platform' | 'cds') => count(({ weather }) => (weather[part].hang ?? 0) > 0)
  expect([faulty('messages'), faulty('platform'), faulty('cds')].every(each => each > 100)).toBe(true)
})
