import type { Chance, Secret } from '../ports/index.ts'
import { AccessToken } from '../kinds/index.ts'
import { undefinedIf } from '../store/index.ts'
import type { Store } from '../store/index.ts'
import { newToken } from './token.ts'

/** For whom a token is. */
export interface TokenRequest {
  /** The name of the AccessToken object; a lower-case DNS label. */
  readonly name: string
  readonly user: string
  readonly groups: readonly string[]
  readonly description: string
}

/**
 * Makes a token and gives its text, which is kept nowhere: who loses it needs a new one. A token that has the name already is
 * replaced and stops working.
 */
export async function issueToken(
  request: TokenRequest,
  { store, chance }: { readonly store: Store; readonly chance: Chance },
): Promise<Secret> {
  const { text, hash } = newToken(request.name, chance)
  const { name, user, groups, description } = request
  await store.delete(AccessToken, { name }).catch(undefinedIf('NotFound'))
  await store.create(AccessToken, { metadata: { name }, spec: { hash, user, groups, description } })
  return text
}
