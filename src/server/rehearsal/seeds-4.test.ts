import { expect, test } from 'vitest'
import { groups, wrongsOf } from './testing/wrongs-of.ts'

test.each(groups(376, 500))(
  'whatever breaks, hatcheries leave nothing undone, nothing behind and nothing broken: seeds %i to %i',
  { timeout: 120_000 },
  async (from, to) => {
    expect(await wrongsOf(from, to)).toEqual([])
  },
)
