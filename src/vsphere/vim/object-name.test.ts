import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readName, writtenName } from './object-name.ts'

test('every name comes back as it was written', () => {
  const names = fc.string({ unit: fc.constantFrom('a', '%', '/', '\\', '2f', '25', 'é') })
  fc.assert(fc.property(names, name => readName(writtenName(name)) === name))
})

test('only what vCenter writes as in a URL is read as such', () => {
  expect(readName('a%2Fb%5cc%25%20 100%')).toBe('a/b\\c%%20 100%')
})
