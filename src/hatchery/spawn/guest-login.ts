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
 * Who may start programs in guests of a model: what the configuration says of its image or path, else what the model says itself.
 * CredentialsMissing if neither says enough.
 */
export function guestLogin(
  { credentials }: Pick<HatcherySettings, 'credentials'>,
  model: Pick<StarterModel, 'version' | 'name' | 'path' | 'image' | 'user' | 'password' | 'passwordProblem'>,
): GuestLogin {
  const isFor = ({ image, path }: HatcherySettings['credentials'][number]) =>
    (image !== undefined && image === model.image) || (model.version === 1 && path !== undefined && path === model.path)
  const configured = credentials.find(isFor)
  if (configured !== undefined) return { user: configured.user, password: configured.password }
  const { user, password, passwordProblem } = model
  if (user !== '' && password !== undefined) return { user, password }
  const why = passwordProblem ?? (user === '' ? 'neither the configuration nor the model names a user' : 'the model has no password')
  throw CredentialsMissing({ model: model.name, image: model.image, why })
}
