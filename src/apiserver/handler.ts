import { DeadlineExceeded, DurationNotValid, type Log, parseDuration, unlessAborted } from '../ports/index.ts'
import { CustomResourceDefinition } from '../kinds/index.ts'
import { type Store, StoreError } from '../store/index.ts'
import { type Answer, type Call, header, jsonAnswer } from './call.ts'
import { compressed } from './compress.ts'
import { definitionStore } from './definitions.ts'
import { discovery, type Review, reviews } from './discovery.ts'
import { badRequest, timedOut } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { admit, attemptOf, refuseHaste, refuseImpersonation } from './guard.ts'
import { asksForHealth } from './health.ts'
import { openApi } from './openapi/openapi.ts'
import type { ApiServerOptions } from './options.ts'
import { plainAnswer, type PlainRoom } from './plain-paths.ts'
import { Records, type Trail } from './records.ts'
import { requestBody } from './request-body.ts'
import { resourceAnswer, type ResourceRoom } from './resources.ts'
import { reviewAnswer } from './review.ts'
import { registry } from './served.ts'
import { failureStatus, type Status } from './status.ts'
import { readTarget, type ResourceTarget, type Target } from './target.ts'
import { verbOf } from './verb.ts'
import { warningHeaders } from './warning-headers.ts'
import { EventWriters } from './watch-events.ts'

/** Everything but a watch is answered within this time. */
const longestMilliseconds = 60_000

/**
 * The API server as a function from request to answer: who is asking, may they, then what they asked for. Whatever carries the
 * requests, a fastify server or a test, it never throws: failures are answers.
 */
export class ApiHandler {
  readonly #options: ApiServerOptions
  readonly #log: Log
  readonly #records: Records
  readonly #closing = new AbortController()
  readonly #room: ResourceRoom & PlainRoom

  constructor(options: ApiServerOptions) {
    const { clock, chance, kinds, store, version, checks = [] } = options
    this.#options = options
    this.#log = options.log
    this.#records = new Records(options.access, clock, options.metrics)
    let definitions: Promise<Store> | undefined
    const served = registry(kinds, store, {
      kind: CustomResourceDefinition,
      open: () => (definitions ??= definitionStore(kinds, clock, chance)),
    })
    this.#room = {
      clock,
      chance,
      registry: served,
      writers: new EventWriters(clock),
      closing: this.#closing.signal,
      count: (kind, by) => this.#records.watch(kind, by),
      failure: error => this.#watchFailure(error),
      discovery: discovery(served),
      openApi: openApi(served, version),
      version,
      checks,
    }
  }

  /** Answers a request. */
  async handle(call: Call): Promise<Answer> {
    const { clock, chance } = this.#options
    const trail: Trail = { id: chance.uuid(), started: clock.monotonic(), warnings: [] }
    let answer: Answer
    let reason: string | undefined
    try {
      answer = await compressed(call, await this.#answer(call, trail))
      if (answer.made !== undefined) trail.made = answer.made
    } catch (error) {
      if (error instanceof StoreError && error.details.name !== undefined) trail.made = error.details.name
      ;({ answer, reason } = this.#failure(error, call, trail))
    }
    this.#records.answered(call, trail, answer.status, reason, this.#isServed(trail))
    const warnings = trail.warnings.length === 0 ? {} : { warning: warningHeaders(trail.warnings) }
    return { ...answer, headers: { 'audit-id': trail.id, 'cache-control': 'no-cache, private', ...warnings, ...answer.headers } }
  }

  /** Ends all watches, as if their time were up. */
  close(): void {
    this.#closing.abort()
  }

  async #answer(call: Call, trail: Trail): Promise<Answer> {
    const { access, clock } = this.#options
    // Until more is known: a path that makes no sense is on record, too.
    trail.attempt = { verb: call.method.toLowerCase(), path: call.url.split('?', 1)[0]! }
    const { target, query } = readUrl(call.url)
    const verb = verbOf(call.method, target.resource, query)
    trail.attempt = attemptOf(target, verb, query)
    const review = reviewOf(target.resource)
    const user = await access.authenticate(header(call, 'authorization'), call.sourceAddress)
    // Known before anything is refused, so that the audit log names who tried.
    trail.user = user
    // A flood must not make us look dead to those who would then restart us.
    if (!asksForHealth(target.segments)) refuseHaste(access, user, call.sourceAddress)
    refuseImpersonation(user, call)
    admit(access, user, trail.attempt, review !== undefined)
    const exchange = (signal: AbortSignal): Exchange => ({
      call,
      target,
      verb,
      query,
      user,
      warnings: trail.warnings,
      noteDryRun: () => (trail.dryRun = true),
      signal,
      body: () => requestBody(call, user, access, signal),
    })
    if (verb === 'watch') return this.#route(exchange(call.signal), review)
    using deadline = clock.deadline(timeLimit(query), call.signal)
    // Nobody waits for a store that hangs.
    return await unlessAborted(this.#route(exchange(deadline.signal), review), deadline.signal)
  }

  #route(exchange: Exchange, review: Review | undefined): Promise<Answer> {
    const { resource } = exchange.target
    if (resource === undefined) return plainAnswer(exchange, this.#room)
    if (review !== undefined) return reviewAnswer(exchange, review, this.#options.access, this.#room.registry)
    return resourceAnswer(exchange, resource, this.#room)
  }

  #failure(error: unknown, call: Call, trail: Trail): { readonly answer: Answer; readonly reason: string } {
    // Nobody reads this answer; it is for the records, where it must not look like our fault.
    if (call.signal.aborted && !(error instanceof StoreError)) return { answer: jsonAnswer(499, null), reason: 'ClientGone' }
    const known = DeadlineExceeded.is(error) ? timedOut() : error
    if (!(known instanceof StoreError))
      this.#log.error('request failed', { id: trail.id, method: call.method, path: trail.attempt?.path, attempt: trail.attempt, error })
    const status = failureStatus(known, trail.id)
    const retryAfter = status.details?.retryAfterSeconds
    const headers = {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(status.code === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      // What was not read of the body would be taken for the next request.
      ...(status.code === 413 ? { connection: 'close' } : {}),
    }
    return { answer: jsonAnswer(status.code, status, headers), reason: status.reason ?? '' }
  }

  #watchFailure(error: unknown): Status {
    const id = this.#options.chance.uuid()
    if (!(error instanceof StoreError)) this.#log.error('watch failed', { id, error })
    return failureStatus(error, id)
  }

  #isServed({ attempt }: Trail): boolean {
    const resource = attempt?.resource
    return resource !== undefined && this.#room.registry.find(resource.group, resource.version, resource.plural) !== undefined
  }
}

function readUrl(url: string): { readonly target: Target; readonly query: URLSearchParams } {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  return { target: readTarget(path), query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)) }
}

function reviewOf(resource: ResourceTarget | undefined): Review | undefined {
  if (resource === undefined || resource.name !== undefined) return undefined
  return reviews.find(
    ({ group, version, plural }) => group === resource.group && version === resource.version && plural === resource.plural,
  )
}

function timeLimit(query: URLSearchParams): number {
  const asked = query.get('timeout')
  if (asked === null || asked === '') return longestMilliseconds
  try {
    const milliseconds = parseDuration(asked)
    return milliseconds > 0 ? Math.min(milliseconds, longestMilliseconds) : longestMilliseconds
  } catch (error) {
    if (DurationNotValid.is(error))
      throw badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(asked)}`)
    throw error
  }
}
