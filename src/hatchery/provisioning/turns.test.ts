import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

/** Serves what is missing, one at a time. */
function served(missing: number[], turns = new Turns()): string {
  let order = ''
  for (;;) {
    const place = turns.next(missing.map(count => count > 0))
    if (place === undefined) return order
    missing[place]!--
    order += 'ABC'[place]
  }
}

test('A3, B1, C2 are served as A, B, C, A, C, A', () => {
  expect(served([3, 1, 2])).toBe('ABCACA')
})

test('turns go on where they were, also if nobody could be served for a while, until they are reset', () => {
  const turns = new Turns()
  expect([served([1, 1, 0], turns), turns.next([false, false, false]), served([1, 1, 1], turns)]).toEqual(['AB', undefined, 'CAB'])
  turns.reset()
  expect(served([1, 1, 1], turns)).toBe('ABC')
})

test('one that cannot be served now loses only its turn', () => {
  const turns = new Turns()
  expect([turns.next([true, true]), turns.next([true, false]), turns.next([true, true])]).toEqual([0, 0, 1])
})
