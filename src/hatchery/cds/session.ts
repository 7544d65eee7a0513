import { type Clock, Secret, unlessAborted } from '../../ports/index.ts'
import { fieldsOf, numberIn } from './reading.ts'

/** How long before its end a session counts as over, so that it does not end during a call: a share of its lifetime, at most a minute. */
const margin = { share: 0.25, longest: 60_000 } as const

/** How long a session of CDS lasts if its token does not say. */
const usualLifetime = 3_600_000

/**
 * One side's session. There is at most one sign-in at a time, and whoever needs a session meanwhile waits for that one. It goes on
 * when the one who began it gives up, for the sake of the others.
 */
export class Session {
  readonly #clock: Clock
  readonly #signIn: () => Promise<string>
  #current: { readonly token: Secret; readonly until: number } | undefined
  #signingIn: Promise<Secret> | undefined

  /** `signIn` asks CDS and resolves to the session's token. */
  constructor(clock: Clock, signIn: () => Promise<string>) {
    this.#clock = clock
    this.#signIn = signIn
  }

  /** The token of a session that is good, if there is one. */
  get current(): Secret | undefined {
    return this.#current !== undefined && this.#clock.monotonic() < this.#current.until ? this.#current.token : undefined
  }

  /** The token of a session, after a sign-in if there is none. */
  async token(signal: AbortSignal): Promise<Secret> {
    signal.throwIfAborted()
    return this.current ?? (await this.renew(signal))
  }

  /** Signs in, whether there is a session or not. */
  renew(signal: AbortSignal): Promise<Secret> {
    this.#signingIn ??= this.#begin().finally(() => (this.#signingIn = undefined))
    return unlessAborted(this.#signingIn, signal)
  }

  /** CDS does not know this token any more. */
  drop(token: Secret): void {
    if (this.#current?.token === token) this.#current = undefined
  }

  /** It is over for us, whatever CDS thinks. */
  end(): void {
    this.#current = undefined
  }

  async #begin(): Promise<Secret> {
    const asked = this.#clock.monotonic()
    const token = new Secret(await this.#signIn())
    const lifetime = lifetimeOf(token)
    this.#current = { token, until: asked + lifetime - Math.min(margin.longest, lifetime * margin.share) }
    return token
  }
}

/** Measured from when we asked, not by the time of day: CDS's clock and ours may differ by more than a session lasts. */
function lifetimeOf(token: Secret): number {
  const { iat, exp } = claimsOf(token.reveal())
  return iat > 0 && exp > iat ? (exp - iat) * 1000 : usualLifetime
}

function claimsOf(token: string): { readonly iat: number; readonly exp: number } {
  const claims = payloadOf(token)
  return { iat: numberIn(claims, 'iat'), exp: numberIn(claims, 'exp') }
}

/** What a token says, unverified; nothing if it cannot be read. */
export function payloadOf(token: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
  } catch {
    return {}
  }
}
