import { expect, test } from 'vitest'
import { defaultModelV2 } from './default-model.ts'

const defaults = [
  { model: 'P/vcs/o/r/plain', binaries: [] },
  { model: 'P/vcs/o/r/docker', binaries: ['docker'] },
  { model: 'P/vcs/o/r/build', binaries: ['git', 'make', 'docker'] },
]
const binaries = (...values: string[]) => values.map(value => ({ type: 'binary', name: value, value }))

test.each([
  { needs: binaries('docker'), takes: 'P/vcs/o/r/docker', why: 'the first that has the binary' },
  { needs: [], takes: 'P/vcs/o/r/plain', why: 'the first of all, without binaries' },
  { needs: [{ type: 'region', name: 'eu', value: 'eu' }], takes: 'P/vcs/o/r/plain', why: 'the first of all, with other requirements only' },
  { needs: binaries('git', 'unheard-of'), takes: 'P/vcs/o/r/build', why: 'the first that has one of several' },
  { needs: binaries('unheard-of'), takes: '', why: 'none, if none has any' },
])('a V1 job without a model takes $why', ({ needs, takes }) => {
  expect(defaultModelV2(defaults, needs)).toBe(takes)
})

test('there is no default where none is configured', () => {
  expect(defaultModelV2([], [])).toBe('')
})
