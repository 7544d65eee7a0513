// This file does on purpose what nobody should do with a secret.
// oxlint-disable typescript/restrict-template-expressions, typescript/no-misused-spread, typescript/no-unnecessary-type-conversion
import { format, inspect } from 'node:util'
import { expect, test } from 'vitest'
import { jsonLog } from './log.ts'
import { Secret } from './secret.ts'
import { VirtualClock } from './virtual-clock.ts'

const value = 'correct horse battery staple'
const secret = new Secret(value)

/** Every way in which a value is usually printed by mistake. */
const prints: readonly (readonly [string, () => string])[] = [
  ['a template string', () => `${secret}`],
  ['concatenation', () => '' + (secret as unknown as string)],
  ['String()', () => String(secret)],
  ['toString', () => secret.toString()],
  ['join', () => [secret].join()],
  ['toLocaleString', () => secret.toLocaleString()],
  ['JSON', () => JSON.stringify({ deep: [{ secret }] })],
  ['inspect', () => inspect({ deep: [{ secret }] }, { depth: null, showHidden: true })],
  ['console formatting', () => format('%s %o %O %j %d', secret, secret, secret, secret, secret)],
  ['the text of an error', () => inspect(new Error(`login with ${secret} failed`))],
  ['a property of an error', () => inspect(Object.assign(new Error('login failed'), { secret }))],
  ['spreading', () => JSON.stringify({ ...secret }) + inspect({ ...secret })],
  ['Object.entries', () => JSON.stringify(Object.entries(secret)) + Reflect.ownKeys(secret).map(String).join()],
  ['a structured clone', () => inspect(structuredClone({ secret }), { showHidden: true, depth: null })],
  ['the log', () => logged({ secret, deep: { list: [new Map([['key', secret]])] }, error: new Error('outer', { cause: secret }) })],
]

test.each(prints)('%s does not show a secret', (_how, print) => {
  expect(print()).not.toContain('horse')
})

test('a secret prints as ***', () => {
  expect(`${secret}`).toBe('***')
  expect(JSON.stringify([secret])).toBe('["***"]')
  expect(inspect(secret)).toBe('***')
})

test('only reveal gives it away', () => expect(secret.reveal()).toBe(value))

test.each([
  [value, true],
  ['', false],
  [value.slice(1), false],
  [`${value} `, false],
  ['***', false],
])('comparing with "%s" says %s', (other, same) => expect(secret.equals(other)).toBe(same))

function logged(fields: Record<string, unknown>): string {
  const lines: string[] = []
  jsonLog({ level: 'debug', clock: new VirtualClock(), write: line => lines.push(line) })
    .with({ context: secret })
    .info('said', fields)
  return lines.join('')
}
