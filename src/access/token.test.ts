import { expect, test } from 'vitest'
import { realChance, seededChance } from '../ports/index.ts'
import { newToken, parseToken, proves } from './token.ts'

test('a token names its object and proves itself against its hash', () => {
  const { text, hash } = newToken('ci-runner', realChance())
  const parts = parseToken(text.reveal())
  expect(parts?.id).toBe('ci-runner')
  expect(proves(parts!.proof, hash)).toBe(true)
})

test('neither the hash nor what is printed gives the token away', () => {
  const { text, hash } = newToken('ci-runner', realChance())
  expect(String(text)).toBe('***')
  expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(hash).not.toContain(parseToken(text.reveal())!.proof)
})

test('a token with one letter changed proves nothing', () => {
  const { text, hash } = newToken('a', seededChance(1))
  const { proof } = parseToken(text.reveal())!
  for (let at = 0; at < proof.length; at++) {
    const other = proof.slice(0, at) + (proof[at] === 'A' ? 'B' : 'A') + proof.slice(at + 1)
    expect(proves(other, hash)).toBe(false)
  }
})

test('a hash of another length proves nothing and breaks nothing', () => {
  expect(proves('x', '')).toBe(false)
  expect(proves('x', 'sha256:00')).toBe(false)
})

const proof = 'A'.repeat(43)
test.each([
  ['', 'nothing'],
  ['aviary_a', 'no proof'],
  [`aviary__${proof}`, 'no id'],
  [`aviary_A_${proof}`, 'an id in capitals'],
  [`aviary_a.b_${proof}`, 'an id with a dot'],
  [`aviary_-a_${proof}`, 'an id with a dash first'],
  [`aviary_${'a'.repeat(64)}_${proof}`, 'an id that is too long'],
  [`aviary_a_${proof}A`, 'a proof that is too long'],
  [`aviary_a_${proof.slice(1)}`, 'a proof that is too short'],
  [`aviary_a_${proof.slice(1)}+`, 'a proof with a strange letter'],
  [`aviary_a_${proof}\n`, 'a line end'],
  [`kubeadm_a_${proof}`, 'another prefix'],
])('%j is no token: %s', text => {
  expect(parseToken(text)).toBeUndefined()
})
