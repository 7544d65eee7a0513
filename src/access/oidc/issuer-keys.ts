import type { CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWK, JWSHeaderParameters } from 'jose'
import type { Clock, HttpClient, Log } from '../../ports/index.ts'
import { IssuerKeysUnavailable } from '../errors.ts'
import type { IssuerSettings } from './issuer-settings.ts'

type KeySet = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>

/** Whose keys, and how to get them. */
export interface IssuerKeysOptions {
  readonly settings: Pick<IssuerSettings, 'url' | 'jwksUrl'>
  readonly http: HttpClient
  readonly clock: Clock
  readonly log: Log
}

/** Keys are asked for again, beside the requests that use them, when they are this old. */
const freshMilliseconds = 10 * 60_000
/** If the issuer does not answer, its old keys are believed for so long. */
const staleMilliseconds = 24 * 3_600_000
/** Tokens with made-up key names, and an issuer that is down, make us ask no more often than this. */
const pauseMilliseconds = 30_000
const retryMilliseconds = 5_000

const askTimeout = 5_000
const maxAnswerBytes = 1024 * 1024

/**
 * The public keys of one issuer, fetched when first needed and kept. A key that is not known makes it look again, so that a new
 * key works at once; but rarely, so that a flood of forged tokens does not become a flood at the issuer's door.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions
  #keys: { readonly set: KeySet; readonly at: number } | undefined
  #asking: Promise<void> | undefined
  #lastAskedAt = -Infinity
  #lastFailed = false

  constructor(options: IssuerKeysOptions) {
    this.#options = options
  }

  /** The key that a token names. Rejects with jose's errors if there is none, with `IssuerKeysUnavailable` if nobody can tell. */
  readonly keyFor: KeySet = async (header, token) => {
    const set = await this.#current()
    try {
      return await set(header, token)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error
      // Who comes while somebody is asking waits for the same answer: a new key is met by many at once.
      const asking = this.#asking ?? (this.#mayAsk(pauseMilliseconds) ? this.#ask() : undefined)
      if (asking === undefined) throw error
      await asking
      return await (this.#keys?.set ?? set)(header, token)
    }
  }

  async #current(): Promise<KeySet> {
    const fresh = this.#youngerThan(freshMilliseconds)
    if (fresh !== undefined) return fresh
    const asking = this.#mayAsk(this.#lastFailed ? retryMilliseconds : 0) ? this.#ask() : this.#asking
    const old = this.#youngerThan(staleMilliseconds)
    if (old !== undefined) {
      // The old keys do for this request; the failure is in the log.
      asking?.catch(() => undefined)
      return old
    }
    await asking
    // Asked for anew: keys that are too old do not become good again because nobody may ask just now.
    const answered = this.#youngerThan(staleMilliseconds)
    if (answered === undefined) throw this.#unavailable('it did not answer a moment ago')
    return answered
  }

  #youngerThan(milliseconds: number): KeySet | undefined {
    const keys = this.#keys
    return keys !== undefined && this.#options.clock.monotonic() - keys.at < milliseconds ? keys.set : undefined
  }

  #mayAsk(pause: number): boolean {
    return this.#asking === undefined && this.#options.clock.monotonic() - this.#lastAskedAt >= pause
  }

  #ask(): Promise<void> {
    this.#lastAskedAt = this.#options.clock.monotonic()
    this.#asking ??= this.#fetch()
      .then(
        () => {
          this.#lastFailed = false
        },
        cause => {
          this.#lastFailed = true
          const error = this.#unavailable((cause as Error).message, cause)
          this.#options.log.warn('keys of the issuer cannot be fetched', { error })
          throw error
        },
      )
      .finally(() => {
        this.#asking = undefined
      })
    return this.#asking
  }

  #unavailable(why: string, cause?: unknown): Error {
    return IssuerKeysUnavailable({ issuer: this.#options.settings.url, why }, { cause })
  }

  async #fetch(): Promise<void> {
    const { settings, clock } = this.#options
    const { createLocalJWKSet } = await import('jose')
    const url = settings.jwksUrl ?? (await this.#discover())
    const keys = publicKeys(await this.#getJson(url))
    this.#keys = { set: createLocalJWKSet(keys), at: clock.monotonic() }
  }

  async #discover(): Promise<string> {
    const { url } = this.#options.settings
    const document = (await this.#getJson(`${url.replace(/\/$/, '')}/.well-known/openid-configuration`)) as Record<string, unknown> | null
    if (document?.['issuer'] !== url) throw new Error(`the discovery document of ${url} names another issuer`)
    const { jwks_uri: keys } = document
    if (typeof keys !== 'string' || !isTrustworthy(keys)) throw new Error(`the discovery document of ${url} has no jwks_uri with https`)
    return keys
  }

  async #getJson(url: string): Promise<unknown> {
    const headers = { accept: 'application/json' }
    const answer = await this.#options.http.send({ method: 'GET', url, headers, timeout: askTimeout, maxBytes: maxAnswerBytes })
    if (answer.status !== 200) throw new Error(`${new URL(url).host} answered with status ${answer.status}`)
    return JSON.parse(answer.text())
  }
}

/** Plain HTTP only to this very machine. */
function isTrustworthy(url: string): boolean {
  return /^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/])/.test(url)
}

/** Leaves out shared keys, and the private half of a key that somebody published by mistake. */
function publicKeys(document: unknown): JSONWebKeySet {
  const { keys } = (document ?? {}) as { keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('the answer is no set of keys')
  const asymmetric = keys.filter((key): key is JWK => typeof key === 'object' && key !== null && ['RSA', 'EC', 'OKP'].includes(key.kty))
  return { keys: asymmetric.map(({ d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, oth: _oth, ...key }) => key as JWK) }
}
