import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Chance, Clock, Log } from '../../ports/index.ts'
import type { Access, User } from '../../access/index.ts'
import { admit, refuseHaste } from '../../apiserver/index.ts'
import { StoreError } from '../../store/index.ts'
import { sendRefusal } from './refusal.ts'

/** The guard of a route. */
export interface GuardedRouteOptions {
  readonly access: Access
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
}

/** Adds a GET route beside those of the Kubernetes API, with the same guard: who is asking, may they, how often, and a record of it. */
export function guardedRoute(
  app: FastifyInstance,
  path: string,
  options: GuardedRouteOptions,
  handle: (reply: FastifyReply) => Promise<unknown>,
): void {
  app.get(path, async (request, reply) => {
    const guarded = new GuardedRequest(path, request, options)
    reply.raw.once('close', () => guarded.record(reply.statusCode))
    try {
      await guarded.admit()
      return await handle(reply)
    } catch (error) {
      return await sendRefusal(reply, error instanceof StoreError ? error : guarded.unexpected(error))
    }
  })
}

class GuardedRequest {
  readonly #path: string
  readonly #request: FastifyRequest
  readonly #options: GuardedRouteOptions
  readonly #id: string
  readonly #startedAt: number
  #user: User = { name: '', groups: [] }

  constructor(path: string, request: FastifyRequest, options: GuardedRouteOptions) {
    this.#path = path
    this.#request = request
    this.#options = options
    this.#id = options.chance.uuid()
    this.#startedAt = options.clock.monotonic()
  }

  /** Rejects with Unauthorized, Forbidden or TooManyRequests. */
  async admit(): Promise<void> {
    const { access } = this.#options
    const { headers, ip } = this.#request
    this.#user = await access.authenticate(headers.authorization, ip)
    refuseHaste(access, this.#user, ip)
    admit(access, this.#user, { verb: 'get', path: this.#path })
  }

  unexpected(error: unknown): StoreError {
    this.#options.log.error('request failed', { path: this.#path, incident: this.#id, error })
    return new StoreError('InternalError', `Internal error occurred: the server's log has the details under ${this.#id}`, { cause: error })
  }

  record(status: number): void {
    const { access, clock } = this.#options
    access.audit({
      id: this.#id,
      user: this.#user.name,
      groups: this.#user.groups,
      attempt: { verb: 'get', path: this.#path },
      sourceAddress: this.#request.ip,
      userAgent: this.#request.headers['user-agent'] ?? '',
      status,
      durationMilliseconds: clock.monotonic() - this.#startedAt,
    })
  }
}
