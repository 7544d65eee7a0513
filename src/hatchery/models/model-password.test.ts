import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import { passwordV1, passwordV2 } from './model-password.ts'

const secrets = new Map([
  ['secrets.vsphere_password', new Secret('s3cret')],
  ['secrets.salt', new Secret('$&')],
])

describe('a V1 password', () => {
  test.each([
    ['plain', 'plain'],
    ['{{.secrets.vsphere_password}}', 's3cret'],
    ['{{ .secrets.vsphere_password }}-{{.secrets.salt}}', 's3cret-$&'],
  ])('%s is filled in', (text, filled) => {
    expect(passwordV1(text, secrets).password?.reveal()).toBe(filled)
  })

  test('that names a secret which is not there is none, and says which', () => {
    const { password, passwordProblem } = passwordV1('{{.secrets.other}}', secrets)
    expect(password).toBeUndefined()
    expect(passwordProblem).toContain('secrets.other')
  })

  test('that is empty is none', () => {
    expect(passwordV1('', secrets)).toEqual({ password: undefined, passwordProblem: 'it has no password' })
  })
})

describe('a V2 password', () => {
  test('is used if it is plain', () => {
    expect(passwordV2('plain').password?.reveal()).toBe('plain')
  })

  test.each([
    ['${{ secrets.VM_PASSWORD }}', 'does not fill in'],
    ['9f86d081884c4d659a2feaa0c55ad015', 'encrypted'],
    ['', 'no password'],
  ])('"%s" is none, and says why', (text, why) => {
    const { password, passwordProblem } = passwordV2(text)
    expect(password).toBeUndefined()
    expect(passwordProblem).toContain(why)
  })
})

test('no password is seen in what is printed of it', () => {
  const printed = [passwordV1('{{.secrets.vsphere_password}}', secrets), passwordV2('hunter2')].map(
    each => inspect(each) + JSON.stringify(each),
  )
  expect(printed.join('')).not.toMatch(/s3cret|hunter2/)
})
