import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { StoreError } from '../errors.ts'
import { fieldSelectorValue, parseFieldSelector } from './field-selector.ts'

describe('a field selector', () => {
  test('has terms that are equal or not equal', () => {
    expect(parseFieldSelector('a.b=x,c!=y,d==')).toEqual([
      { path: 'a.b', equal: true, value: 'x' },
      { path: 'c', equal: false, value: 'y' },
      { path: 'd', equal: true, value: '' },
    ])
  })

  test('takes the meaning from a character after a backslash', () => {
    expect(parseFieldSelector(String.raw`a=x\,y\=z\\,b=1`)).toEqual([
      { path: 'a', equal: true, value: String.raw`x,y=z\ `.trim() },
      { path: 'b', equal: true, value: '1' },
    ])
  })

  test('reads any text back that was written as a value', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ',', '=', '!', '\\', ' ') }), text => {
        expect(parseFieldSelector(`a=${fieldSelectorValue(text)},b=1`)).toEqual([
          { path: 'a', equal: true, value: text },
          { path: 'b', equal: true, value: '1' },
        ])
      }),
    )
  })

  test('says nothing if it is empty', () => {
    expect(parseFieldSelector('')).toEqual([])
    expect(parseFieldSelector('a=b,,')).toEqual([{ path: 'a', equal: true, value: 'b' }])
  })

  for (const text of ['a', 'a=b=c', 'a!b', String.raw`a=b\c`, 'a=b\\']) {
    test(`"${text}" is refused as BadRequest`, () => {
      expect(() => parseFieldSelector(text)).toThrow(StoreError)
    })
  }

  test('names only fields that the kind declares', () => {
    expect(parseFieldSelector('metadata.name=a,metadata.namespace=b,spec.material=moss', Nest)).toHaveLength(3)
    expect(() => parseFieldSelector('spec.eggs=1', Nest)).toThrow('field label not supported: spec.eggs')
  })
})

test('what every object would be asked is bounded', () => {
  const terms = (count: number) => Array.from({ length: count }, (_, index) => `metadata.name!=n${index}`).join(',')
  expect(parseFieldSelector(terms(50))).toHaveLength(50)
  expect(() => parseFieldSelector(terms(51))).toThrow('more than 50 terms')
})
