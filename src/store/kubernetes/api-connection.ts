import type { Kind } from '../../kinds/index.ts'
import { backoff, DeadlineExceeded, Failure, RequestNotValid, ResponseTooLarge, Unreachable } from '../../ports/index.ts'
import type { Chance, Clock, HttpClient, HttpHead, HttpRequest, HttpResponse, HttpStream, Log, Secret } from '../../ports/index.ts'
import { StoreError } from '../errors.ts'
import type { Pace } from './pace.ts'
import { queryText } from './resource-path.ts'
import type { Query } from './resource-path.ts'
import { errorFromAnswer, KindNotServed } from './status-error.ts'

export type Headers = Readonly<Record<string, string | Secret>>

/** How this program proves to an API server who it is. */
export interface Credentials {
  /** For people: `user "admin" of context "prod" in ~/.kube/config`. */
  readonly origin: string
  headers(): Promise<Headers>
  /** The server did not accept `headers`. True if asking for headers again may give better ones. */
  refused(headers: Headers): boolean
}

export interface ApiConnectionOptions {
  readonly http: HttpClient
  /** `https://host:port`, possibly with a path before `/api`. */
  readonly server: string
  readonly credentials: Credentials
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly userAgent: string
  readonly pace: Pace
  /** The budget of leader election, so that a flood of other requests never costs the lead. */
  readonly leasePace: Pace
}

export interface ApiRequest {
  readonly method: HttpRequest['method']
  readonly kind: Kind
  /** The object that the request is about, for errors. */
  readonly name?: string
  readonly path: string
  readonly query?: Query
  readonly body?: string
  readonly timeout?: number
  readonly signal?: AbortSignal | undefined
}

/** Longer than this nobody waits inside a call: the caller is told how long the server asked to be left alone. */
const longestWaitMilliseconds = 10_000
const maxAttempts = 4

/**
 * Requests to one API server, with credentials, pace and retries. Every answer but success becomes a StoreError.
 *
 * What only reads is tried again when the server is busy or away. What writes is tried again only if the server certainly did
 * not do it: it was never sent, or was turned away with 429. All else is the caller's to decide, who learns from
 * `details.sent` whether it may have been done.
 */
export class ApiConnection {
  readonly #options: ApiConnectionOptions

  constructor(options: ApiConnectionOptions) {
    this.#options = { ...options, server: options.server.replace(/\/+$/, '') }
  }

  /** Resolves to a successful answer. */
  async send(request: ApiRequest): Promise<HttpResponse> {
    const { clock, log } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#pace(request).run(() => this.#accepted(request, exchange => this.#options.http.send(exchange)), request.signal)
      } catch (error) {
        const wait = StoreError.is(error) && attempt < maxAttempts ? this.#waitBeforeRetry(request, error, attempt) : undefined
        if (wait === undefined) throw error
        log.debug('asking the API server again', { method: request.method, path: request.path, attempt, wait, error })
        await clock.sleep(wait, request.signal)
      }
    }
  }

  /** Resolves to a successful answer whose body is still arriving. Never tried again: whoever watches resumes by itself. */
  async stream(request: ApiRequest, { idleTimeout }: { idleTimeout: number }): Promise<HttpStream> {
    await this.#pace(request).turn(request.signal)
    return this.#accepted(request, exchange => this.#options.http.stream({ ...exchange, idleTimeout }))
  }

  #pace({ kind }: ApiRequest): Pace {
    return kind.group === 'coordination.k8s.io' ? this.#options.leasePace : this.#options.pace
  }

  /** One exchange; one more with fresh credentials if they were refused, which no server does after it has begun to act. */
  async #accepted<A extends HttpHead>(request: ApiRequest, exchange: (request: HttpRequest) => Promise<A>): Promise<A> {
    const { credentials } = this.#options
    const headers = await this.#credentials()
    const answer = await this.#answered(request, headers, exchange)
    if (answer.status !== 401) return this.#successful(request, answer)
    if (!credentials.refused(headers)) return this.#successful(request, answer)
    await bodyOf(answer)
    return this.#successful(request, await this.#answered(request, await this.#credentials(), exchange))
  }

  async #credentials(): Promise<Headers> {
    const { credentials } = this.#options
    try {
      return await credentials.headers()
    } catch (cause) {
      throw cause instanceof Failure ? this.#noCredentials(cause) : cause
    }
  }

  #noCredentials(cause: Failure): StoreError {
    const { origin } = this.#options.credentials
    const fix = cause.fix === undefined ? {} : { fix: cause.fix }
    return new StoreError('Unauthorized', `no credentials from ${origin}: ${cause.message}`, { sent: false, cause, ...fix })
  }

  async #answered<A>(request: ApiRequest, credentials: Headers, exchange: (request: HttpRequest) => Promise<A>): Promise<A> {
    const { server, userAgent } = this.#options
    const { method, path, query = {}, body, timeout, signal } = request
    try {
      return await exchange({
        method,
        url: `${server}${path}${queryText(query)}`,
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...credentials,
        },
        ...(body === undefined ? {} : { body }),
        ...(timeout === undefined ? {} : { timeout }),
        ...(signal === undefined ? {} : { signal }),
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw this.#noAnswer(request, error)
    }
  }

  async #successful<A extends HttpHead>(request: ApiRequest, answer: A): Promise<A> {
    if (answer.status >= 200 && answer.status < 300) return answer
    const error = errorFromAnswer(request.kind, answer, await bodyOf(answer))
    if (error.reason !== 'Unauthorized') throw error
    const { server, credentials } = this.#options
    throw new StoreError('Unauthorized', `${server} does not accept the credentials of ${credentials.origin}`, {
      cause: error,
      fix: 'renew them, or choose another context',
    })
  }

  /** What it means that no answer, or not the whole answer, came back. */
  #noAnswer({ method, kind, name }: ApiRequest, cause: unknown): unknown {
    const { server } = this.#options
    const about = { group: kind.group, kind: kind.plural, ...(name === undefined ? {} : { name }) }
    if (Unreachable.is(cause)) {
      return new StoreError('ServiceUnavailable', cause.message, {
        ...about,
        sent: cause.details.sent,
        cause,
        fix: cause.fix ?? reachable(server),
      })
    }
    if (DeadlineExceeded.is(cause)) {
      return new StoreError('Timeout', `${server} did not answer ${method} ${kind.plural}: ${cause.message}`, {
        ...about,
        sent: true,
        cause,
      })
    }
    if (ResponseTooLarge.is(cause)) return new StoreError('InternalError', cause.message, { ...about, sent: true, cause })
    if (RequestNotValid.is(cause)) return new StoreError('BadRequest', cause.message, { ...about, sent: false, cause })
    // Whatever else was planned for went wrong before anything could be sent: certificates that are missing or of no use.
    if (cause instanceof Failure) return this.#noCredentials(cause)
    return cause
  }

  /** Milliseconds until the next try; undefined if there must be none. */
  #waitBeforeRetry({ method }: ApiRequest, error: StoreError, attempt: number): number | undefined {
    const { reason, details } = error
    const asked = details.retryAfterSeconds
    const reads = method === 'GET'
    const worthIt =
      details.sent === false
        ? reason === 'ServiceUnavailable'
        : reason === 'TooManyRequests'
          ? reads || asked !== undefined
          : reads && reason === 'ServiceUnavailable'
    if (!worthIt || error instanceof KindNotServed) return undefined
    const jitter = backoff({ base: 250, cap: 2000, chance: this.#options.chance }, attempt)
    const wait = (asked ?? 0) * 1000 + jitter
    return wait > longestWaitMilliseconds ? undefined : wait
  }
}

function reachable(server: string): string {
  return `check that ${server} is the API server's address and that it can be reached from here`
}

/** The text of an answer of either form. Of a stream that is an error no more is read than a Status needs. */
async function bodyOf(answer: HttpHead | HttpResponse | HttpStream): Promise<string> {
  if ('text' in answer) return answer.text()
  if (!('chunks' in answer)) return ''
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of answer.chunks) {
      pieces.push(piece)
      size += piece.length
      if (size > 65_536) break
    }
  } catch {
    // The head alone says enough: it is no success.
  }
  return Buffer.concat(pieces).toString('utf8')
}
