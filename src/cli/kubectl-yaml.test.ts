import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { forKubectl, kubectlYaml } from './kubectl-yaml.ts'

test.each([
  // As kubectl 1.36 reads them.
  ['yes', true],
  ['Yes', true],
  ['y', true],
  ['on', true],
  ['True', true],
  ['no', false],
  ['N', false],
  ['OFF', false],
  ['yEs', 'yEs'],
  ['"yes"', 'yes'],
  ['!!str yes', 'yes'],
  ['~', null],
  ['0644', 420],
  ['0o17', 15],
  ['089', 89],
  ['0x1F', 31],
  ['0b11', 3],
  ['1_000', 1000],
  ['1e3', 1000],
  ['.5', 0.5],
  ['1:30', '1:30'],
  ['12:30.5', '12:30.5'],
  ['2001-01-01', '2001-01-01'],
  ['2001-01-01T00:00:00Z', '2001-01-01T00:00:00Z'],
  ['!!binary aGVsbG8=', 'hello'],
  ['{a: &x {b: 1}, c: {<<: *x, d: 2}}', { a: { b: 1 }, c: { b: 1, d: 2 } }],
])('%s is read as kubectl reads it', (text, value) => {
  expect(parse(text, kubectlYaml)).toEqual(value)
})

test('the text of what is printed is read as what it was', () => {
  const words = fc.constantFrom('yes', 'n', 'On', '0644', '0o17', '1:30', '2001-01-01', '~', 'null', '.5', '1_000', '<<', '=')
  const texts = fc.oneof(words, fc.string())
  fc.assert(
    fc.property(fc.dictionary(texts, texts), object => {
      expect(parse(stringify(object, forKubectl), kubectlYaml)).toEqual({ ...object })
    }),
  )
})
