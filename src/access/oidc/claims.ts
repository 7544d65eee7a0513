import type { User } from '../access.ts'
import type { IssuerSettings } from './issuer-settings.ts'

/** Clocks differ a little. */
const leewaySeconds = 30

const maxName = 256
const maxGroups = 1000

/** The user that a token's claims stand for, or why the token does not count. The signature has been checked before. */
export function userOf(claims: Readonly<Record<string, unknown>>, settings: IssuerSettings, nowSeconds: number): User | string {
  return problemOf(claims, settings, nowSeconds) ?? namedUser(claims, settings)
}

function problemOf(claims: Readonly<Record<string, unknown>>, settings: IssuerSettings, nowSeconds: number): string | undefined {
  const { iss, aud, exp, nbf } = claims
  const audiences = Array.isArray(aud) ? aud : [aud]
  if (iss !== settings.url) return 'it comes from another issuer'
  if (!audiences.some(audience => settings.audiences.includes(audience))) return 'it is meant for somebody else'
  if (!isTime(exp)) return 'it has no expiry'
  if (exp + leewaySeconds <= nowSeconds) return 'it has expired'
  if (nbf !== undefined && (!isTime(nbf) || nbf - leewaySeconds > nowSeconds)) return 'it is not valid yet'
  for (const [claim, value] of Object.entries(settings.requiredClaims)) {
    if (claims[claim] !== value) return `its claim ${claim} is not the required one`
  }
  return undefined
}

function namedUser(claims: Readonly<Record<string, unknown>>, settings: IssuerSettings): User | string {
  const name = claims[settings.userClaim]
  if (!isName(name)) return `its claim ${settings.userClaim} names no user`
  if (settings.userClaim === 'email' && claims['email_verified'] === false) return 'its e-mail address is not verified'
  const user = (settings.userPrefix ?? (settings.userClaim === 'email' ? '' : `${settings.url}#`)) + name
  // What begins with system: means something to this program and is not for an issuer to hand out.
  if (user.startsWith('system:')) return 'its user has a reserved name'
  const groups = groupsOf(claims[settings.groupsClaim])
  if (groups === undefined) return `its claim ${settings.groupsClaim} is no list of names`
  const prefixed = groups.map(group => settings.groupsPrefix + group).filter(group => !group.startsWith('system:'))
  return { name: user, groups: prefixed }
}

function groupsOf(claim: unknown): readonly string[] | undefined {
  if (claim === undefined || claim === null) return []
  if (isName(claim)) return [claim]
  return Array.isArray(claim) && claim.length <= maxGroups && claim.every(isName) ? claim : undefined
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** Printable, not empty, not endless: it goes into the audit log and into messages. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= maxName && !/[\p{Cc}\p{Cf}]/u.test(value)
}
