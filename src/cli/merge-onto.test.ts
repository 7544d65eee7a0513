import { expect, test } from 'vitest'
import { mergeOnto } from './merge-onto.ts'

test.each([
  { rule: 'what the text says is so', live: { a: 1 }, before: {}, now: { a: 2 }, then: { a: 2 } },
  { rule: 'what others wrote stays', live: { a: 1, theirs: 1 }, before: { a: 1 }, now: { a: 1 }, then: { a: 1, theirs: 1 } },
  {
    rule: 'what an earlier text said and this one no longer does goes',
    live: { a: 1, b: 1 },
    before: { a: 1, b: 1 },
    now: { a: 1 },
    then: { a: 1 },
  },
  {
    rule: 'the same holds at any depth',
    live: { s: { a: 1, b: 1, theirs: 1 } },
    before: { s: { a: 1, b: 1 } },
    now: { s: { a: 2 } },
    then: { s: { a: 2, theirs: 1 } },
  },
  { rule: 'lists are replaced whole', live: { l: [1, 2, 3] }, before: { l: [1] }, now: { l: [4] }, then: { l: [4] } },
  { rule: 'a table replaces what was none', live: { s: 'text' }, before: {}, now: { s: { a: 1 } }, then: { s: { a: 1 } } },
])('$rule', ({ live, before, now, then }) => {
  expect(mergeOnto(live, before, now)).toEqual(then)
})
