import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SortedKeys } from './sorted-keys.ts'

test('keys stay sorted, can be read from anywhere, and are counted', () => {
  const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '/', '-', '.', '0'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(fc.record({ key, remove: fc.boolean() })), key, (steps, probe) => {
      const keys = new SortedKeys()
      const model = new Set<string>()
      for (const step of steps) {
        if (step.remove && model.delete(step.key)) keys.remove(step.key)
        else if (!step.remove && !model.has(step.key)) {
          model.add(step.key)
          keys.add(step.key)
        }
      }
      const sorted = [...model].toSorted((a, b) => (a < b ? -1 : 1))
      expect([...keys.from('')]).toEqual(sorted)
      expect([...keys.from(probe)]).toEqual(sorted.filter(other => other >= probe))
      expect(keys.rank(probe)).toBe(sorted.filter(other => other < probe).length)
      expect(keys.size).toBe(sorted.length)
    }),
  )
})

test('it goes on working when chunks fill up, split and run empty', () => {
  const keys = new SortedKeys()
  const name = (n: number) => `ns/object-${String(n).padStart(5, '0')}`
  const all = Array.from({ length: 5000 }, (_, n) => name((n * 2657) % 5000))
  for (const key of all) keys.add(key)
  expect([...keys.from('')]).toEqual(all.toSorted())
  for (let n = 1000; n < 4000; n++) keys.remove(name(n))
  expect([...keys.from(name(990))].slice(0, 12).at(-2)).toBe(name(4000))
  expect(keys.rank(name(4500))).toBe(1500)
  expect(keys.size).toBe(2000)
})

test('filling it at once gives the same as adding one by one', () => {
  const keys = Array.from({ length: 3000 }, (_, n) => `k${(n * 7919) % 3000}`)
  const filled = new SortedKeys()
  filled.fill(keys)
  expect([...filled.from('')]).toEqual(keys.toSorted())
  filled.add('k')
  expect([...filled.from('')][0]).toBe('k')
})
