import { expect, test } from 'vitest'
import { warningTexts } from './warnings.ts'

test('each warning of a joined header is told, without its quotes', () => {
  const header = String.raw`299 - "unknown field \"spec.a\", and so on", 299 kube "two: \\ done"`
  expect(warningTexts(header)).toEqual(['unknown field "spec.a", and so on', String.raw`two: \ done`])
})

test('no header, no warnings', () => {
  expect(warningTexts(undefined)).toEqual([])
  expect(warningTexts('nonsense')).toEqual([])
})
