import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

test.each([
  ['lisen', 'listen'],
  ['datadir', 'dataDir'],
  ['data_dir', 'dataDir'],
  ['tsl', 'tls'],
  ['Listen', 'listen'],
  ['colour', undefined],
  ['x', undefined],
])('%s was meant to be %s', (typed, meant) => {
  expect(nearest(typed, ['listen', 'dataDir', 'tls', 'url'])).toBe(meant)
})
