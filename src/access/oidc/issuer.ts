import { createHash } from 'node:crypto'
import type { Clock, HttpClient, Log } from '../../ports/index.ts'
import { StoreError } from '../../store/index.ts'
import type { User } from '../access.ts'
import { IssuerKeysUnavailable } from '../errors.ts'
import { userOf } from './claims.ts'
import { IssuerKeys } from './issuer-keys.ts'
import type { IssuerSettings } from './issuer-settings.ts'

/** Which issuer, and how to reach it. */
export interface IssuerOptions {
  readonly settings: IssuerSettings
  readonly http: HttpClient
  readonly clock: Clock
  readonly log: Log
}

interface Verified {
  readonly user: User
  readonly until: number
}

/** A checked token is believed for so long without checking the signature again, which costs more than the rest of a request. */
const believedMilliseconds = 10_000
const maxBelieved = 1000

/** One issuer of JSON web tokens: tells whose a token is. */
export class Issuer {
  readonly #options: IssuerOptions
  readonly #keys: IssuerKeys
  readonly #believed = new Map<string, Verified>()

  constructor(options: IssuerOptions) {
    this.#options = options
    this.#keys = new IssuerKeys(options)
  }

  /**
   * The user of a token; undefined if it is forged, expired, or not for us. Rejects with ServiceUnavailable if the issuer's keys
   * cannot be had: then nobody knows.
   */
  async userOf(token: string): Promise<User | undefined> {
    const { clock, log, settings } = this.#options
    const fingerprint = createHash('sha256').update(token).digest('base64')
    const known = this.#believed.get(fingerprint)
    if (known !== undefined && known.until > clock.now()) return known.user
    const claims = await this.#verifiedClaims(token)
    if (claims === undefined) return undefined
    const user = userOf(claims, settings, clock.now() / 1000)
    if (typeof user === 'string') {
      log.debug('token of an issuer refused', { issuer: settings.url, why: user })
      return undefined
    }
    this.#believe(fingerprint, { user, until: Math.min(clock.now() + believedMilliseconds, (claims['exp'] as number) * 1000) })
    return user
  }

  async #verifiedClaims(token: string): Promise<Record<string, unknown> | undefined> {
    const { settings, log } = this.#options
    try {
      const claims: unknown = JSON.parse(new TextDecoder().decode(await this.#verifiedPayload(token)))
      return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : undefined
    } catch (error) {
      if (IssuerKeysUnavailable.is(error)) {
        throw new StoreError('ServiceUnavailable', `the token cannot be checked now: ${error.message}`, {
          retryAfterSeconds: 5,
          cause: error,
        })
      }
      log.debug('token of an issuer refused', { issuer: settings.url, error })
      return undefined
    }
  }

  async #verifiedPayload(token: string): Promise<Uint8Array> {
    const { compactVerify, errors } = await import('jose')
    const options = { algorithms: [...this.#options.settings.algorithms] }
    try {
      return (await compactVerify(token, this.#keys.keyFor, options)).payload
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
      // The token does not say which of the issuer's keys signed it, as some issuers' do not: then any of them may have.
      for await (const key of error) {
        const verified = await compactVerify(token, key, options).catch(() => undefined)
        if (verified !== undefined) return verified.payload
      }
      throw error
    }
  }

  #believe(fingerprint: string, verified: Verified): void {
    const [oldest] = this.#believed.keys()
    if (this.#believed.size >= maxBelieved && oldest !== undefined) this.#believed.delete(oldest)
    this.#believed.delete(fingerprint)
    this.#believed.set(fingerprint, verified)
  }
}

/** The issuer that a token claims to be from, not verified; undefined if it is no JSON web token. */
export function claimedIssuer(token: string): string | undefined {
  const [, payload, signature, more] = token.split('.')
  if (payload === undefined || signature === undefined || more !== undefined) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const issuer = (claims as { iss?: unknown } | null)?.iss
    return typeof issuer === 'string' ? issuer : undefined
  } catch {
    return undefined
  }
}
