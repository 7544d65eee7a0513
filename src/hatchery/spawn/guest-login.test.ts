import { describe, expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import { guestLogin } from './guest-login.ts'

const model = {
  version: 2 as const,
  name: 'm',
  path: '',
  image: 'debian12',
  user: 'own',
  password: new Secret('own-password') as Secret | undefined,
  passwordProblem: undefined as string | undefined,
}
const entry = (user: string, more: { image?: string; path?: string }) => ({
  image: more.image,
  path: more.path,
  user,
  password: new Secret(`${user}-password`),
})

describe('who logs in to a guest', () => {
  test('is who the configuration names for the image, the first one of the list', () => {
    const credentials = [
      entry('other', { image: 'debian11' }),
      entry('first', { image: 'debian12' }),
      entry('second', { image: 'debian12' }),
    ]
    expect(guestLogin({ credentials }, model).user).toBe('first')
  })

  test('is who the configuration names for the path of a V1 model', () => {
    const credentials = [entry('by-path', { path: 'group/m' })]
    expect(guestLogin({ credentials }, { ...model, version: 1, path: 'group/m' }).user).toBe('by-path')
    expect(guestLogin({ credentials }, { ...model, version: 1, path: 'group/other' }).user).toBe('own')
  })

  const v1 = { ...model, version: 1 as const, path: 'group/m' }
  test.each([
    {
      of: 'the path, wherever the image stands',
      credentials: [entry('image', { image: 'debian12' }), entry('path', { path: 'group/m' })],
      is: 'path',
    },
    { of: 'the model, before that of the image', credentials: [entry('image', { image: 'debian12' })], is: 'own' },
  ])('of a V1 model is that of $of', ({ credentials, is }) => {
    expect(guestLogin({ credentials }, v1).user).toBe(is)
  })

  test('of a V1 model that names nobody is that of its image, and without one the path is what is missing', () => {
    const nobody = { ...v1, user: '', password: undefined }
    expect(guestLogin({ credentials: [entry('image', { image: 'debian12' })] }, nobody).user).toBe('image')
    expect(() => guestLogin({ credentials: [] }, nobody)).toThrowError(
      expect.objectContaining({ fix: expect.stringContaining('modelPath = "group/m"') }),
    )
  })

  test('is who the model names, if the configuration names nobody', () => {
    const { user, password } = guestLogin({ credentials: [] }, model)
    expect([user, password.reveal()]).toEqual(['own', 'own-password'])
  })

  test.each([
    { why: 'it is encrypted', ...model, password: undefined, passwordProblem: 'its password is encrypted' },
    { why: 'there is none', ...model, password: undefined },
    { why: 'nobody is named', ...model, user: '' },
  ])('is an error that says what to do, if the model’s own cannot be used because $why', given => {
    expect(() => guestLogin({ credentials: [] }, given)).toThrow(/username and\/or password not well configured for model "m"/)
    if (given.passwordProblem !== undefined) expect(() => guestLogin({ credentials: [] }, given)).toThrow(/encrypted/)
  })
})
