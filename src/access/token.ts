import { createHash, timingSafeEqual } from 'node:crypto'
import { Secret } from '../ports/index.ts'
import type { Chance } from '../ports/index.ts'

/** What a bearer token says: which AccessToken object to look at, and the proof. */
interface TokenParts {
  readonly id: string
  readonly proof: string
}

const form = /^aviary_([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)_([A-Za-z0-9_-]{43})$/

/** Whether a text looks like one of our tokens, and its parts if it does. */
export function parseToken(text: string): TokenParts | undefined {
  const [, id, proof] = form.exec(text) ?? []
  return id === undefined || proof === undefined ? undefined : { id, proof }
}

/** A new token for the AccessToken object `id`: the text for its user, and the hash for the object. */
export function newToken(id: string, chance: Chance): { readonly text: Secret; readonly hash: string } {
  const proof = Buffer.from(chance.bytes(32)).toString('base64url')
  return { text: new Secret(`aviary_${id}_${proof}`), hash: hashOf(proof) }
}

/**
 * What is kept of a token. One round of SHA-256 is enough: slow hashes such as scrypt make up for passwords that can be guessed,
 * and nobody guesses 256 random bits. A slow hash would only cost every request its time.
 */
export function hashOf(proof: string): string {
  return `sha256:${createHash('sha256').update(proof).digest('hex')}`
}

/** Whether `hash` was made from `proof`. Takes the same time wherever they differ. */
export function proves(proof: string, hash: string): boolean {
  const given = Buffer.from(hashOf(proof))
  const kept = Buffer.from(hash)
  return given.length === kept.length && timingSafeEqual(given, kept)
}
