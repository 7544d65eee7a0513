import { expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import { FlavorNotFound } from '../errors.ts'
import { causeOf } from './cause.ts'

test('a cause is the message with what to do, in one line', () => {
  expect(causeOf(FlavorNotFound({ flavor: 'x', known: ['small'] }), [])).toBe(
    'flavor "x" not found in hatchery configuration (use one of small)',
  )
  expect(causeOf(new Error('a\n  b'), [])).toBe('a b')
  expect(causeOf('text', [])).toBe('text')
})

test('a cause holds no secret', () => {
  expect(causeOf(new Error('login root:hunter2 failed'), [undefined, new Secret('hunter2')])).toBe('login root:*** failed')
})

test('a cause is not longer than people read', () => {
  expect(causeOf(new Error('x'.repeat(10_000)), [])).toHaveLength(600)
})
