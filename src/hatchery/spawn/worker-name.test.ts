import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededChance } from '../../ports/index.ts'
import { slug, workerName } from './worker-name.ts'

const free = () => false

describe('worker names', () => {
  test('are words that a host may be called, at most 63 characters, whatever the prefix', () => {
    const prefixes = fc.constantFrom('', 'register', 'provision-v1', 'provision-v2', 'provision-v2-ip-100-100-100-100')
    fc.assert(
      fc.property(fc.integer(), prefixes, (seed, prefix) => {
        const name = workerName(seededChance(seed), free, prefix)
        expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(name.length).toBeLessThanOrEqual(63)
        expect(name.startsWith(prefix === '' ? '' : `${prefix}-`)).toBe(true)
      }),
    )
  })

  test('of one form are two words, of the others four', () => {
    const forms = new Set(Array.from({ length: 100 }, (_, seed) => workerName(seededChance(seed), free).split('-').length))
    expect(forms).toEqual(new Set([2, 4]))
  })

  test('are not given when somebody has them already', () => {
    const first = workerName(seededChance(1), free)
    expect(workerName(seededChance(1), name => name === first)).not.toBe(first)
  })

  test('are found even if all words are taken', () => {
    expect(workerName(seededChance(1), name => !/-[a-z0-9]{5}$/.test(name) || name.split('-').length < 3)).toMatch(/-[a-z0-9]{5}$/)
  })

  test.each([
    ['Brave_and__Merry wren', 'brave-and-merry-wren'],
    ['-a--b-', 'a-b'],
    ['Ä1', '1'],
  ])('%s is written %s', (text, expected) => expect(slug(text)).toBe(expected))
})
