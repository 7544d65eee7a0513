import { expect, test } from 'vitest'
import { placeText } from './queue.ts'

test.each([
  [1, 1, 'position 1 of 1'],
  [3, 20, 'position 3 of 20'],
  [3, 21, 'position 3 of more than 20'],
  [21, 21, 'behind more than 20 of more than 20'],
  [57, 100, 'behind more than 50 of more than 90'],
  [57, 101, 'behind more than 50 of more than 100'],
  [1_999, 2_001, 'behind more than 1000 of more than 2000'],
])('claim %d of %d waits at %s', (position, length, text) => {
  expect(placeText(position, length)).toBe(text)
})

test('a long queue from which everybody is served costs each of them a few texts, not one for each who was before', () => {
  const length = 1_000
  const texts = (index: number) => new Set(Array.from({ length: index }, (_, served) => placeText(index - served, length - served)))
  const all = Array.from({ length }, (_, index) => texts(index + 1).size).reduce((sum, count) => sum + count, 0)
  expect(all / length).toBeLessThan(60)
})
