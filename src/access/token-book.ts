import type { AccessToken } from '../kinds/index.ts'
import type { User } from './access.ts'
import { hashOf, parseToken, proves } from './token.ts'
import { tokenEnd } from './token-end.ts'

interface Entry {
  readonly user: User
  readonly hash: string
  readonly expiresAt: number
}

/** Compared with when there is no such token, so that a stranger cannot tell by the time it takes. */
const nobodysHash = hashOf('nobody')

/** All AccessTokens, ready to be asked. */
export class TokenBook {
  #entries: ReadonlyMap<string, Entry> = new Map()

  /** Takes the place of all that was known before. */
  replace(tokens: ReadonlyMap<string, AccessToken>): void {
    this.#entries = new Map([...tokens].map(([name, token]) => [name, entryOf(token)]))
  }

  /** Whose token it is; undefined if it is unknown, wrong or expired. */
  userOf(text: string, now: number): User | undefined {
    const parts = parseToken(text)
    if (parts === undefined) return undefined
    const entry = this.#entries.get(parts.id)
    const isRight = proves(parts.proof, entry?.hash ?? nobodysHash)
    return isRight && entry !== undefined && now < entry.expiresAt ? entry.user : undefined
  }
}

function entryOf(token: AccessToken): Entry {
  const { user, groups, hash } = token.spec
  return { user: { name: user, groups }, hash, expiresAt: tokenEnd(token) }
}
