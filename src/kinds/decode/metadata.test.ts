import { expect, test } from 'vitest'
import { AccessToken } from '../access-token.ts'
import { Namespace } from '../namespace.ts'
import { Nest } from '../nest.ts'
import { decode } from './decode.ts'
import { namespaceProblem } from './metadata.ts'

test.each([
  ['Nest', 'default', undefined],
  ['Nest', undefined, 'Required value'],
  ['Nest', '', 'Required value'],
  ['Nest', 'a.b', 'Invalid value: "a.b": must not contain dots'],
  ['Namespace', undefined, undefined],
  ['Namespace', '', undefined],
  ['Namespace', 'default', 'Forbidden: not allowed on this type'],
])('a %s in namespace %s: %s', (name, namespace, expected) => {
  expect(namespaceProblem(name === 'Nest' ? Nest : Namespace, namespace)?.message).toBe(expected)
})

test("a kind's own rule for names comes before the common one", () => {
  const messages = (kind: typeof Namespace | typeof AccessToken, name: string) =>
    decode<never>(kind as never, { metadata: { name }, spec: { hash: `sha256:${'0'.repeat(64)}`, user: 'u' } }).problems.map(
      one => one.message,
    )
  expect(messages(Namespace, 'a.b')).toEqual(['Invalid value: "a.b": must not contain dots'])
  expect(messages(AccessToken, 'a.b')).toHaveLength(1)
  expect(messages(AccessToken, 'fine')).toEqual([])
})

test('a namespace has at most 63 characters', () => {
  expect(decode(Namespace, { metadata: { name: 'x'.repeat(64) } }).problems.map(one => one.message)).toEqual([
    `Invalid value: "${'x'.repeat(64)}": must be no more than 63 characters`,
  ])
})
