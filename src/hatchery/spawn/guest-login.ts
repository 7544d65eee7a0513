import { CredentialsMissing } from '../errors.ts'
import type { StarterModel } from '../models/starter-model.ts'
import type { Secret } from '../../ports/index.ts'
import type { HatcherySettings } from '../settings.ts'

/** As whom programs are started in a guest. */
export interface GuestLogin {
  readonly user: string
  readonly password: Secret
}

/**
 * Who may start programs in guests of a model (hatchery §6.2.3). V2: who the configuration names for its image, else who the model
 * names. V1: who the configuration names for its path, else who the model names; only if nobody is, who the configuration names for
 * its image, because the model may change what is in it. CredentialsMissing if nobody is named.
 */
export function guestLogin(
  { credentials }: Pick<HatcherySettings, 'credentials'>,
  model: Pick<StarterModel, 'version' | 'name' | 'path' | 'image' | 'user' | 'password' | 'passwordProblem'>,
): GuestLogin {
  const { version, name, path, image, user, password, passwordProblem } = model
  const ofImage = credentials.find(each => each.image !== undefined && each.image === image)
  const ofPath = credentials.find(each => each.path !== undefined && each.path === path)
  const own = user !== '' && password !== undefined ? { user, password } : undefined
  const login = version === 1 ? (ofPath ?? own ?? ofImage) : (ofImage ?? own)
  if (login !== undefined) return { user: login.user, password: login.password }
  const why = passwordProblem ?? (user === '' ? 'neither the configuration nor the model names a user' : 'the model has no password')
  throw CredentialsMissing({ model: name, image, key: version === 1 ? `modelPath = "${path}"` : `modelVMWare = "${image}"`, why })
}
