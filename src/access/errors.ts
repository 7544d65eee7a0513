import { failure } from '../ports/index.ts'
import { StoreError } from '../store/index.ts'

/** The keys of an issuer cannot be had, so that nobody can tell whether its tokens are good. */
export const IssuerKeysUnavailable = failure('ACCESS_ISSUER_KEYS_UNAVAILABLE', ({ issuer, why }: { issuer: string; why: string }) => ({
  message: `the keys of ${issuer} cannot be fetched: ${why}`,
  fix: `check that this machine reaches ${issuer}/.well-known/openid-configuration and trusts its certificate (access.issuers.ca)`,
}))

/** What somebody is told who asks too often or sends too much at once, in Kubernetes' words. */
export function tooManyRequests(seconds: number): StoreError {
  const message = 'the server has received too many requests and has asked us to try again later'
  return new StoreError('TooManyRequests', message, { retryAfterSeconds: Math.max(1, Math.ceil(seconds)) })
}
