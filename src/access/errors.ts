import { failure } from '../ports/index.ts'

/** The keys of an issuer cannot be had, so that nobody can tell whether its tokens are good. */
export const IssuerKeysUnavailable = failure('ACCESS_ISSUER_KEYS_UNAVAILABLE', ({ issuer, why }: { issuer: string; why: string }) => ({
  message: `the keys of ${issuer} cannot be fetched: ${why}`,
  fix: `check that this machine reaches ${issuer}/.well-known/openid-configuration and trusts its certificate (access.issuers.ca)`,
}))
