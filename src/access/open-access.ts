import type { Chance, Clock, Files, HttpClient, Log, Metrics } from '../ports/index.ts'
import { AccessGrant, AccessToken } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'
import type { Store } from '../store/index.ts'
import type { Access, Attempt, AuditEntry, Decision, NamedRule, User } from './access.ts'
import { anonymousUser, isAnonymous } from './anonymous.ts'
import { AuditLog } from './audit-log.ts'
import type { AuditLogOptions } from './audit-log.ts'
import { BytesUnderWay } from './bytes-under-way.ts'
import { tooManyRequests } from './errors.ts'
import { GrantBook } from './grant-book.ts'
import { liveObjects } from './live-objects.ts'
import { networkOf } from './network.ts'
import { claimedIssuer, Issuer } from './oidc/issuer.ts'
import type { IssuerSettings } from './oidc/issuer-settings.ts'
import { RateLimit } from './rate-limit.ts'
import { anybodyMay, isPathRead, matchesPath } from './roles.ts'
import { TokenBook } from './token-book.ts'

/** What the guard is made of. */
export interface AccessOptions {
  readonly store: Store
  readonly clock: Clock
  readonly chance: Chance
  readonly files: Files
  readonly log: Log
  readonly metrics: Metrics
  /** What may be read without a token. */
  readonly anonymous: readonly ('health' | 'version' | 'metrics')[]
  readonly issuers: readonly { readonly settings: IssuerSettings; readonly http: HttpClient }[]
  /** `bodies`: bytes that one user may send at once. */
  readonly limits: { readonly requestsPerSecond: number; readonly burst: number; readonly bodies: number }
  readonly audit: Pick<AuditLogOptions, 'folder' | 'which' | 'maxFileSize' | 'maxFiles'>
}

/** Access that follows the store until it is closed. */
export interface OpenAccess extends Access {
  /** Stops following the store and writes the rest of the audit log. */
  close(): Promise<void>
}

/** Members are the owners of the house: they may do everything, and are not held back by limits. */
const masters = 'system:masters'

const anonymousPaths = {
  health: ['/healthz', '/livez', '/readyz', '/healthz/*', '/livez/*', '/readyz/*'],
  version: ['/version', '/version/'],
  metrics: ['/metrics'],
} as const

/** Longer than any honest token, short enough to cost nothing. */
const maxTokenLength = 16 * 1024

/** Opens the guard of every door over a store. Resolves when all tokens and grants are known; rejects if they cannot be read. */
export async function openAccess(options: AccessOptions): Promise<OpenAccess> {
  const tokens = new TokenBook()
  const grants = new GrantBook()
  const ending = new AbortController()
  const following = { ...options, signal: ending.signal }
  try {
    await Promise.all([
      liveObjects({ ...following, kind: AccessToken, onChange: objects => tokens.replace(objects) }),
      liveObjects({ ...following, kind: AccessGrant, onChange: objects => grants.replace(objects) }),
    ])
  } catch (error) {
    ending.abort()
    throw error
  }
  return new Guard(options, tokens, grants, ending)
}

class Guard implements OpenAccess {
  readonly #clock: Clock
  readonly #tokens: TokenBook
  readonly #grants: GrantBook
  readonly #ending: AbortController
  readonly #issuers: ReadonlyMap<string, Issuer>
  readonly #users: RateLimit
  /** By where they come from. Apart from the users, so that no crowd of strangers makes us forget how often a user has asked. */
  readonly #strangers: RateLimit
  readonly #bodies: BytesUnderWay
  readonly #audit: AuditLog
  readonly #openPaths: readonly string[]
  readonly #logins

  constructor(options: AccessOptions, tokens: TokenBook, grants: GrantBook, ending: AbortController) {
    const { clock, log, metrics, files } = options
    this.#clock = clock
    this.#tokens = tokens
    this.#grants = grants
    this.#ending = ending
    this.#issuers = new Map(options.issuers.map(issuer => [issuer.settings.url, new Issuer({ ...issuer, clock, log })]))
    this.#users = new RateLimit({ ...options.limits, clock })
    this.#strangers = new RateLimit({ ...options.limits, clock })
    this.#bodies = new BytesUnderWay(options.limits.bodies)
    this.#audit = new AuditLog({ ...options.audit, files, clock, log, metrics })
    this.#openPaths = options.anonymous.flatMap(what => anonymousPaths[what])
    this.#logins = metrics.counter({
      name: 'aviary_access_authentications_total',
      help: 'Requests by how they said who they are, and whether that was believed.',
      labels: ['method', 'result'],
    })
  }

  async authenticate(authorization: string | undefined, sourceAddress: string): Promise<User> {
    if (authorization === undefined || authorization === '') return anonymousUser
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
    const issuer = token === undefined || token.length > maxTokenLength ? undefined : this.#issuers.get(claimedIssuer(token) ?? '')
    const user =
      token === undefined ? undefined : issuer === undefined ? this.#tokens.userOf(token, this.#clock.now()) : await issuer.userOf(token)
    this.#logins.add({ method: issuer === undefined ? 'token' : 'issuer', result: user === undefined ? 'refused' : 'accepted' })
    if (user === undefined) throw this.#disbelief(sourceAddress)
    return { name: user.name, groups: [...user.groups, 'system:authenticated'] }
  }

  authorize(user: User, attempt: Attempt): Decision {
    if (user.groups.includes(masters)) return { allowed: true, reason: `group ${masters}` }
    if (isAnonymous(user)) return this.#authorizeAnonymous(attempt)
    if (anybodyMay(attempt)) return { allowed: true, reason: 'everybody who is known may' }
    return this.#grants.decide(user, attempt)
  }

  namedRules(user: User, namespace: string): readonly NamedRule[] {
    return isAnonymous(user) ? [] : this.#grants.namedRules(user, namespace)
  }

  throttle(user: User, sourceAddress: string): number | undefined {
    if (user.groups.includes(masters)) return undefined
    return isAnonymous(user) ? this.#strangers.take(networkOf(sourceAddress)) : this.#users.take(user.name)
  }

  holdBytes(user: User, bytes: number): Disposable | undefined {
    return user.groups.includes(masters) ? { [Symbol.dispose]: () => undefined } : this.#bodies.hold(user.name, bytes)
  }

  audit(entry: AuditEntry): void {
    this.#audit.add(entry)
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.#audit.close()
  }

  /** Who tries one bad token after another is a stranger like those without any. */
  #disbelief(sourceAddress: string): StoreError {
    const wait = this.#strangers.take(networkOf(sourceAddress))
    return wait === undefined ? new StoreError('Unauthorized', 'Unauthorized') : tooManyRequests(wait)
  }

  #authorizeAnonymous({ verb, path, resource }: Attempt): Decision {
    const allowed = resource === undefined && path !== undefined && isPathRead(verb) && matchesPath(this.#openPaths, path)
    return { allowed, reason: allowed ? 'open to everybody' : 'needs a token (Authorization: Bearer …)' }
  }
}
