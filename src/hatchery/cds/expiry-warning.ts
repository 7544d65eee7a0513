import { type Clock, type Log, type Secret, isoTime } from '../../ports/index.ts'
import { readSignInToken } from './sign-in-token.ts'

export const day = 86_400_000

/** Milliseconds before the end of a token from which on it is worth telling. */
export const early = 30 * day

/** Says, at most once a day, that a token of the configuration ends soon or has ended. Call it at each sign-in. */
export function expiryWarning(key: string, token: Secret, { clock, log }: { readonly clock: Clock; readonly log: Log }): () => void {
  const { expires } = readSignInToken(token)
  let quietUntil = Number.NEGATIVE_INFINITY
  return () => {
    const now = clock.now()
    if (expires === undefined || expires - now > early || now < quietUntil) return
    quietUntil = now + day
    const fields = { key, expires: isoTime(expires), fix: 'ask CDS for a new token and put it into the configuration' }
    if (expires <= now) log.error('a token for CDS has expired', fields)
    else log.warn('a token for CDS expires soon', { ...fields, days: Math.floor((expires - now) / day) })
  }
}
