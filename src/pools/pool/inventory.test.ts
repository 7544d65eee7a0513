import { expect, test } from 'vitest'
import { inOrderOfTrust, type LastUse } from './inventory.ts'

const day = (number: number) => `2026-11-0${number}T00:00:00Z`
const uses: Readonly<Record<string, LastUse>> = {
  failedLately: { result: 'Failed', time: day(9) },
  failedLongAgo: { result: 'Failed', time: day(1) },
  wentWellLately: { result: 'Succeeded', time: day(8) },
  wentWellLongAgo: { result: 'Succeeded', time: day(2) },
}

test('names that went well come first, then those never used, then those that failed; of each kind the one not used for longest', () => {
  const names = ['failedLately', 'neverB', 'wentWellLately', 'neverA', 'failedLongAgo', 'wentWellLongAgo']
  const order = ['wentWellLongAgo', 'wentWellLately', 'neverA', 'neverB', 'failedLongAgo', 'failedLately']
  expect(inOrderOfTrust(names, name => uses[name])).toEqual(order)
  expect(inOrderOfTrust(names.toReversed(), name => uses[name])).toEqual(order)
})
