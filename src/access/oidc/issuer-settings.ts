/** Signatures that can be accepted. Only those with a public key: no `none`, and no HS, where a public key would be the secret. */
export const jwtAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const

/** An issuer of JSON web tokens whose users may come in. */
export interface IssuerSettings {
  /** Exactly as tokens say it in `iss`. */
  readonly url: string
  readonly audiences: readonly string[]
  readonly algorithms: readonly (typeof jwtAlgorithms)[number][]
  /** Where the keys are; absent: where the discovery document says. */
  readonly jwksUrl?: string | undefined
  readonly userClaim: string
  /** Absent: the issuer's URL and `#`, or nothing if the claim is `email`. */
  readonly userPrefix?: string | undefined
  readonly groupsClaim: string
  readonly groupsPrefix: string
  readonly requiredClaims: Readonly<Record<string, string>>
}
