import { describe, expect, test } from 'vitest'
import { Nest, Secret } from '../kinds/index.ts'
import { kindCalled } from './kind-names.ts'
import { namedObject, namedObjects } from './object-names.ts'

describe('a kind', () => {
  test.each(['nests', 'nest', 'Nest', 'NESTS', 'nests.demo.aviary.dev', 'nest.demo.aviary.dev'])('is meant by %s', name => {
    expect(kindCalled(name)).toBe(Nest)
  })

  test.each([
    ['pool', 'ClusterPool'],
    ['claims', 'ClusterClaim'],
    ['cluster', 'ClusterDeployment'],
  ])('may be called %s, as the commands for it are', (name, kind) => {
    expect(namedObject([`${name}/a`]).kind.name).toBe(kind)
  })

  test('that is misspelt is refused with the one that was meant', () => {
    expect(() => namedObjects(['nestss'])).toThrow(
      expect.objectContaining({ fix: expect.stringMatching(/^did you mean "nests"\? There are namespaces, /) }),
    )
  })

  test('that does not exist is refused with those that do', () => {
    expect(() => kindCalled('eagles')).toThrow(expect.objectContaining({ code: 'CLI_USAGE', fix: expect.stringContaining('nests') }))
  })
})

describe('objects are named', () => {
  test('all of a kind', () => expect(namedObjects(['nests'])).toEqual([{ kind: Nest, names: [] }]))
  test('some of a kind', () => expect(namedObjects(['nests', 'a', 'b'])).toEqual([{ kind: Nest, names: ['a', 'b'] }]))
  test('of several kinds', () =>
    expect(namedObjects(['nest/a', 'secret/b', 'nest/c'])).toEqual([
      { kind: Nest, names: ['a', 'c'] },
      { kind: Secret, names: ['b'] },
    ]))
  test.each([[[]], [['nest/']], [['/a']], [['nest/a/b']], [['nests', 'nest/a']], [['nest/a', 'b']]])('not by %j', args => {
    expect(() => namedObjects(args)).toThrow(expect.objectContaining({ code: 'CLI_USAGE' }))
  })
})

test('where one object is wanted, more or none are refused', () => {
  expect(namedObject(['nest', 'robin'])).toEqual({ kind: Nest, name: 'robin' })
  for (const args of [['nests'], ['nest', 'a', 'b'], ['nest/a', 'secret/b']])
    expect(() => namedObject(args)).toThrow(expect.objectContaining({ code: 'CLI_USAGE' }))
})
