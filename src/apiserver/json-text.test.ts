import { expect, test, describe } from 'vitest'
import fc from 'fast-check'
import { inspectJson } from './json-text.ts'

describe('keys that occur twice', () => {
  test.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"spec":{"eggs":1,"eggs":2,"x":1}}', ['spec.eggs']],
    ['{"spec":{"guards":[{"name":"a"},{"name":"b","name":"c"}]}}', ['spec.guards[1].name']],
    ['[{"a":1,"a":1}]', ['[0].a']],
    ['{"a":{"b":1},"c":{"b":1}}', []],
    [String.raw`{"a":1,"\u0061":2}`, ['a']],
    ['{"a":1,"a":2,"a":3}', ['a']],
  ])('%s', (text, duplicates) => {
    expect(inspectJson(text)).toEqual({ duplicates })
  })

  test('are found among two hundred thousand others', () => {
    const keys = Array.from({ length: 200_000 }, (_, index) => `"key${index}":0`)
    expect(inspectJson(`{${[...keys, '"key199999":1'].join(',')}}`, 200_001)).toEqual({ duplicates: ['key199999'] })
  })

  test('are told up to a hundred, as Kubernetes does', () => {
    const twice = Array.from({ length: 150 }, (_, index) => `"k${index}":0,"k${index}":0`)
    const { duplicates } = inspectJson(`{${twice.join(',')}}`)
    expect(duplicates).toEqual(Array.from({ length: 100 }, (_, index) => `k${index}`))
  })

  test('below a key as long as a body fill no memory', () => {
    const twice = Array.from({ length: 50 }, (_, index) => `"k${index}":0,"k${index}":0`)
    const { duplicates } = inspectJson(`{"${'x'.repeat(1_000_000)}":{${twice.join(',')}}}`)
    expect(duplicates).toHaveLength(1)
  })

  test('a document that JSON.stringify made has none', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(inspectJson(text)).toEqual({ duplicates: [] })
      }),
    )
  })
})

describe('a text that is not JSON is described as Go does', () => {
  test.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 2}', "invalid character '2' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['tru', 'unexpected end of JSON input'],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['"a\nb"', String.raw`invalid character '\n' in string literal`],
    [String.raw`"\q"`, "invalid character 'q' in string escape code"],
    [String.raw`"\u00g0"`, String.raw`invalid character 'g' in \u hexadecimal character escape`],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ["'a'", String.raw`invalid character '\'' looking for beginning of value`],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
  ])('%j', (text, error) => {
    expect(inspectJson(text).error).toBe(error)
  })

  test('it finds an error exactly where JSON.parse does', () => {
    const nearlyJson = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, noise]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + noise + text.slice(place + 1)
    })
    fc.assert(
      fc.property(nearlyJson, text => {
        expect(inspectJson(text).error === undefined).toBe(parses(text))
      }),
      { numRuns: 500 },
    )
  })

  test('a text that nests without end is refused instead of overflowing the stack', () => {
    expect(inspectJson('['.repeat(1_000_000)).error).toBe('exceeded max depth')
  })
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
