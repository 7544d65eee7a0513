import { expect, test } from 'vitest'
import { BytesUnderWay } from './bytes-under-way.ts'

test('one caller may send so much at once, and more when some of it has arrived', () => {
  const bytes = new BytesUnderWay(100)
  const first = bytes.hold('ann', 60)
  expect(bytes.hold('ann', 40)).toBeDefined()
  expect(bytes.hold('ann', 1)).toBeUndefined()
  first?.[Symbol.dispose]()
  expect(bytes.hold('ann', 60)).toBeDefined()
})

test('what one caller sends takes no room from another', () => {
  const bytes = new BytesUnderWay(100)
  bytes.hold('ann', 100)
  expect(bytes.hold('bob', 100)).toBeDefined()
})

test('a body of any size passes if it is the only one', () => {
  const bytes = new BytesUnderWay(100)
  const large = bytes.hold('ann', 1000)
  expect(large).toBeDefined()
  expect(bytes.hold('ann', 1)).toBeUndefined()
  large?.[Symbol.dispose]()
  expect(bytes.hold('ann', 1000)).toBeDefined()
})
