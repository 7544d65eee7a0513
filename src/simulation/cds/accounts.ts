import type { KeyObject } from 'node:crypto'
import type { Chance, Clock } from '../../ports/index.ts'
import { CdsRefusal } from './cds-refusal.ts'
import { signToken, verifyToken } from './json-web-token.ts'
import type { BuiltinConsumer, Consumer, Group, Hatchery, HatcheryConsumer, Scope } from './records.ts'

const hour = 3_600_000
const year = 365 * 24 * hour

/** What CDS needs to know to give out a V1 token. */
export interface BuiltinConsumerRequest {
  readonly name: string
  /** Undefined: for ever. */
  readonly validFor?: number
  readonly groups: readonly Group[]
  readonly scopes?: readonly Scope[]
  readonly bound?: BuiltinConsumer['bound']
}

/** The two sorts of tokens that operators are given. */
type TokenType = 'signinBuiltinConsumerToken' | 'signinHatcheryConsumerToken'

interface Session {
  readonly id: string
  readonly consumer: Consumer
  readonly expires: number
}

/** Who may sign in, who has, and the tokens that prove it. */
export class Accounts {
  readonly #clock: Clock
  readonly #chance: Chance
  readonly #key: KeyObject
  readonly #issuer: string
  readonly #consumers = new Map<string, BuiltinConsumer | HatcheryConsumer>()
  readonly #sessions = new Map<string, Session>()

  constructor(options: { readonly clock: Clock; readonly chance: Chance; readonly key: KeyObject; readonly issuer: string }) {
    this.#clock = options.clock
    this.#chance = options.chance
    this.#key = options.key
    this.#issuer = options.issuer
  }

  addBuiltin(request: BuiltinConsumerRequest): { readonly consumer: BuiltinConsumer; readonly token: string } {
    const { name, validFor, groups, scopes = ['Hatchery', 'Service', 'RunExecution', 'WorkerModel'], bound = {} } = request
    const consumer: BuiltinConsumer = {
      kind: 'builtin',
      id: this.#chance.uuid(),
      name,
      issuedAt: this.#seconds(),
      expires: validFor === undefined ? undefined : this.#clock.now() + validFor,
      disabled: false,
      groups,
      scopes,
      bound,
      service: undefined,
    }
    this.#consumers.set(consumer.id, consumer)
    return { consumer, token: this.#signInToken('signinBuiltinConsumerToken', consumer) }
  }

  /** A V2 token is good for a year. */
  addHatchery(hatchery: Hatchery): { readonly consumer: HatcheryConsumer; readonly token: string } {
    const consumer: HatcheryConsumer = {
      kind: 'hatchery',
      id: this.#chance.uuid(),
      issuedAt: this.#seconds(),
      expires: this.#clock.now() + year,
      disabled: false,
      hatchery,
    }
    this.#consumers.set(consumer.id, consumer)
    return { consumer, token: this.#signInToken('signinHatcheryConsumerToken', consumer) }
  }

  /** Gives out a new token in place of the old one, which is no longer good. */
  renew(consumer: BuiltinConsumer | HatcheryConsumer): string {
    // Never the second of the old one: by it the two are told apart.
    consumer.issuedAt = Math.max(this.#seconds(), consumer.issuedAt + 1)
    return this.#signInToken(consumer.kind === 'builtin' ? 'signinBuiltinConsumerToken' : 'signinHatcheryConsumerToken', consumer)
  }

  /** Whose V1 token this is. */
  builtinOf(token: unknown): BuiltinConsumer {
    const consumer = this.#consumerOf(token, 'signinBuiltinConsumerToken')
    if (consumer.kind !== 'builtin') throw invalidToken()
    return consumer
  }

  /** Whose V2 token this is. */
  hatcheryOf(token: unknown): HatcheryConsumer {
    const consumer = this.#consumerOf(token, 'signinHatcheryConsumerToken')
    if (consumer.kind !== 'hatchery') throw invalidToken()
    return consumer
  }

  /** Who signs in as this hatchery. */
  consumerOfHatchery(hatchery: Hatchery): HatcheryConsumer {
    for (const consumer of this.#consumers.values()) {
      if (consumer.kind === 'hatchery' && consumer.hatchery === hatchery) return consumer
    }
    throw new CdsRefusal('notFound')
  }

  /** Opens a session and gives the token for it. */
  open(consumer: Consumer, lasts = hour): string {
    const now = this.#clock.now()
    const session: Session = { id: this.#chance.uuid(), consumer, expires: now + lasts }
    this.#sessions.set(session.id, session)
    const content = {
      ID: session.id,
      TokenID: '',
      exp: Math.floor(session.expires / 1000),
      jti: session.id,
      iat: this.#seconds(),
      iss: this.#issuer,
      sub: consumer.id,
    }
    return signToken('RS512', content, this.#key)
  }

  /** Whose session a request belongs to; undefined without a good one. */
  callerOf(authorization: string | undefined): Caller | undefined {
    if (authorization?.startsWith('Bearer ') !== true) return undefined
    const content = verifyToken(authorization.slice('Bearer '.length), ['RS512'], this.#key)
    const session = this.#sessions.get(String(content?.['jti']))
    if (session === undefined || Number(content?.['exp']) * 1000 <= this.#clock.now()) return undefined
    const { consumer } = session
    if ('disabled' in consumer && consumer.disabled) return undefined
    return { session: session.id, consumer }
  }

  /** Ends one session. */
  close(session: string): void {
    this.#sessions.delete(session)
  }

  /** Ends all sessions of somebody, or everybody's. Their tokens to sign in with stay good. */
  closeAll(of?: Consumer): void {
    for (const [id, { consumer }] of this.#sessions) if (of === undefined || consumer === of) this.#sessions.delete(id)
  }

  /** Forgets sessions whose time is over. */
  sweep(): void {
    for (const [id, { expires }] of this.#sessions) if (expires <= this.#clock.now()) this.#sessions.delete(id)
  }

  #signInToken(type: TokenType, consumer: BuiltinConsumer | HatcheryConsumer): string {
    const expire = consumer.expires === undefined ? 0 : Math.floor(consumer.expires / 1000)
    return signToken('PS512', { type, expire, data: { consumer_id: consumer.id, iat: consumer.issuedAt } }, this.#key)
  }

  #consumerOf(token: unknown, type: TokenType): BuiltinConsumer | HatcheryConsumer {
    const isText = typeof token === 'string' && token !== ''
    if (!isText && type === 'signinHatcheryConsumerToken') throw new CdsRefusal('forbidden', 'missing or invalid authentication token')
    const content = verifyToken(String(token), ['PS512'], this.#key)
    const data = content?.['data']
    if (content === undefined || content['type'] !== type || typeof data !== 'object' || data === null) throw invalidToken()
    const { consumer_id: id, iat } = data as { readonly consumer_id?: unknown; readonly iat?: unknown }
    const consumer = this.#consumers.get(String(id))
    if (consumer === undefined) throw new CdsRefusal('forbidden')
    if (consumer.issuedAt !== iat || this.#clock.now() > (consumer.expires ?? Infinity)) throw invalidToken()
    return consumer
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1000)
  }
}

/** Who makes a request, and in which session. */
export interface Caller {
  readonly session: string
  readonly consumer: Consumer
}

function invalidToken(): CdsRefusal {
  return new CdsRefusal('forbidden', 'invalid signin token')
}
