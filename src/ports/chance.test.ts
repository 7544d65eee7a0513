import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Chance, realChance, seededChance } from './chance.ts'

const sources: readonly (readonly [string, () => Chance])[] = [
  ['real chance', realChance],
  ['seeded chance', () => seededChance('a seed')],
]

describe.each(sources)('%s', (_name, make) => {
  test('a fraction is at least 0, below 1, and all over the range', () => {
    const chance = make()
    const tenths = new Set<number>()
    for (let draw = 0; draw < 1000; draw++) {
      const fraction = chance.fraction()
      expect(fraction).toBeGreaterThanOrEqual(0)
      expect(fraction).toBeLessThan(1)
      tenths.add(Math.floor(fraction * 10))
    }
    expect(tenths.size).toBe(10)
  })

  test('an integer is in its range, and every one of a small range comes', () => {
    const chance = make()
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 2 ** 40 }), (from, width) => {
        const integer = chance.integer(from, from + width)
        expect(Number.isInteger(integer) && integer >= from && integer < from + width).toBe(true)
      }),
    )
    expect(new Set(Array.from({ length: 500 }, () => chance.integer(-1, 3)))).toEqual(new Set([-1, 0, 1, 2]))
  })

  test('an impossible range is refused', () => {
    const chance = make()
    for (const [from, to] of [
      [1, 1],
      [2, 1],
      [0.5, 2],
      [0, Infinity],
    ] as const)
      expect(() => chance.integer(from, to)).toThrow(RangeError)
  })

  test('pick takes one of the items, and refuses an empty list', () => {
    const chance = make()
    expect(new Set(Array.from({ length: 200 }, () => chance.pick(['a', 'b', 'c'])))).toEqual(new Set(['a', 'b', 'c']))
    expect(() => chance.pick([])).toThrow('empty')
  })

  test('a UUID is one of version 4, and another each time', () => {
    const chance = make()
    const uuids = Array.from({ length: 200 }, () => chance.uuid())
    for (const uuid of uuids) expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(uuids).size).toBe(200)
  })

  test('a suffix has the characters of Kubernetes, no vowel and none that is easily mistaken', () => {
    const chance = make()
    const text = Array.from({ length: 300 }, () => chance.suffix(5)).join('')
    expect(text).toHaveLength(1500)
    expect(new Set(text)).toEqual(new Set('bcdfghjklmnpqrstvwxz2456789'))
    expect(chance.suffix(0)).toBe('')
  })

  test('bytes are as many as asked for, and of every value', () => {
    const chance = make()
    expect(chance.bytes(0)).toHaveLength(0)
    const bytes = chance.bytes(8192)
    expect(bytes).toHaveLength(8192)
    expect(new Set(bytes).size).toBe(256)
  })
})

test('the same seed gives the same draws, for ever', () => {
  const draw = (seed: number | string) => {
    const chance = seededChance(seed)
    return [chance.integer(0, 1000), chance.suffix(5), chance.uuid(), chance.fraction()]
  }
  expect(draw(42)).toEqual(draw(42))
  expect(draw(42)).toMatchInlineSnapshot(`
    [
      50,
      "ddtr5",
      "a611916b-1613-4790-8684-926a76b48ce9",
      0.2832898542080947,
    ]
  `)
})

test('neighbouring seeds have nothing in common', () => {
  const firsts = Array.from({ length: 1000 }, (_, seed) => seededChance(seed).integer(0, 2 ** 40))
  expect(new Set(firsts).size).toBe(1000)
  const mean = firsts.reduce((sum, value) => sum + value / 2 ** 40, 0) / firsts.length
  expect(mean).toBeGreaterThan(0.45)
  expect(mean).toBeLessThan(0.55)
})
