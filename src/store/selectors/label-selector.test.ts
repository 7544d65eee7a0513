import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StoreError } from '../errors.ts'
import { matchesLabels, parseLabelSelector } from './label-selector.ts'

const matches = (selector: string, labels: Record<string, string> | undefined) => matchesLabels(parseLabelSelector(selector), labels)

describe('a label selector', () => {
  const table: readonly { selector: string; yes: readonly Record<string, string>[]; no: readonly Record<string, string>[] }[] = [
    { selector: '', yes: [{}, { a: 'b' }], no: [] },
    { selector: '  ', yes: [{}], no: [] },
    { selector: 'a=b', yes: [{ a: 'b' }, { a: 'b', c: 'd' }], no: [{}, { a: 'c' }] },
    { selector: 'a == b', yes: [{ a: 'b' }], no: [{ a: '' }] },
    { selector: 'a=', yes: [{ a: '' }], no: [{}, { a: 'b' }] },
    { selector: 'a!=b', yes: [{}, { a: 'c' }], no: [{ a: 'b' }] },
    { selector: 'a', yes: [{ a: '' }, { a: 'b' }], no: [{}, { b: 'a' }] },
    { selector: '!a', yes: [{}, { b: 'a' }], no: [{ a: '' }] },
    { selector: '! a', yes: [{}], no: [{ a: 'x' }] },
    { selector: 'a in (b,c)', yes: [{ a: 'b' }, { a: 'c' }], no: [{}, { a: 'd' }] },
    { selector: 'a in ()', yes: [{ a: '' }], no: [{}, { a: 'b' }] },
    { selector: 'a in (b,)', yes: [{ a: 'b' }, { a: '' }], no: [{ a: 'c' }] },
    { selector: 'a in (,b)', yes: [{ a: 'b' }, { a: '' }], no: [{ a: 'c' }] },
    { selector: 'a notin (b, c)', yes: [{}, { a: 'd' }], no: [{ a: 'b' }, { a: 'c' }] },
    {
      selector: 'a>3',
      yes: [{ a: '4' }, { a: '9223372036854775807' }],
      no: [{}, { a: '3' }, { a: 'x' }, { a: '' }, { a: '9223372036854775808' }],
    },
    { selector: 'a<10', yes: [{ a: '9' }, { a: '0' }], no: [{ a: '10' }, {}] },
    { selector: 'a=b,c,!d', yes: [{ a: 'b', c: '' }], no: [{ a: 'b' }, { a: 'b', c: '', d: '' }] },
    { selector: 'example.com/A_b.c-d=X.y_z-1', yes: [{ 'example.com/A_b.c-d': 'X.y_z-1' }], no: [{}] },
    { selector: 'in in (in),notin', yes: [{ in: 'in', notin: '' }], no: [{ in: 'in' }] },
    { selector: 'constructor', yes: [{ constructor: 'x' }], no: [{}] },
  ]
  for (const { selector, yes, no } of table) {
    test(`"${selector}" selects exactly what it says`, () => {
      for (const labels of yes) expect(matches(selector, labels), JSON.stringify(labels)).toBe(true)
      for (const labels of no) expect(matches(selector, labels), JSON.stringify(labels)).toBe(false)
    })
  }

  test('objects without labels are as good as with none of those asked for', () => {
    expect(matches('!a,a!=b', undefined)).toBe(true)
    expect(matches('a', undefined)).toBe(false)
  })

  const nonsense = [
    'a===b',
    'a in b',
    'a in (b',
    'a in (b c)',
    'a in',
    'a in ((b)',
    '-a=b',
    'a=b c',
    'a,',
    ',a',
    'a,,b',
    '=b',
    '!',
    '!!a',
    'a!b',
    'a>b',
    'a<-1',
    'a>',
    'a=b=c',
    'a/b/c=d',
    '/a=b',
    'A.com/a',
    'a=-b',
    'a=b-',
    `a=${'x'.repeat(64)}`,
    `${'x'.repeat(64)}=a`,
    'a=b)',
    '(a)',
    'a notin (b',
    'ü=x',
    'a=ü',
    'a not in (b)',
  ]
  for (const selector of nonsense) {
    test(`"${selector.length > 20 ? `${selector.slice(0, 20)}…` : selector}" is refused as BadRequest`, () => {
      expect(() => parseLabelSelector(selector)).toThrow(StoreError)
      expect(() => parseLabelSelector(selector)).toThrow(/^unable to parse requirement: /)
    })
  }

  test('any text is either understood or refused as BadRequest', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('ab=!,()<> in/-.1')), maxLength: 12 }), text => {
        try {
          parseLabelSelector(text)
        } catch (error) {
          expect(StoreError.is(error, 'BadRequest')).toBe(true)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('what every object would be asked is bounded', () => {
    const list = (count: number, write: (index: number) => string) => Array.from({ length: count }, (_, index) => write(index)).join(',')
    expect(parseLabelSelector(list(50, index => `!k${index}`))).toHaveLength(50)
    expect(() => parseLabelSelector(list(51, index => `!k${index}`))).toThrow('more than 50 requirements')
    expect(parseLabelSelector(`k in (${list(500, String)})`)[0]!.values).toHaveLength(500)
    expect(() => parseLabelSelector(`k in (${list(501, String)})`)).toThrow('more than 500 values of k')
  })
})
