import {
  type Clock,
  DeadlineExceeded,
  type HttpClient,
  type HttpResponse,
  Secret,
  Unreachable,
  type WebSocketConnection,
  type WebSockets,
} from '../../ports/index.ts'
import { cdsDate } from './cds-time.ts'
import { CdsAnswerNotUnderstood, CdsRefused } from './errors.ts'
import { fieldsOf, numberIn, parseJson, textIn } from './reading.ts'
import { Session } from './session.ts'

const mostTries = 3
const betweenTries = 250

/** Characters of CDS's own words that an error repeats. */
const mostWords = 500

/** One call of the API. */
export interface CdsCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** A function is asked once there is a session, which is where V2's region comes from. */
  readonly path: string | (() => string)
  readonly body?: string
  /** Milliseconds for all of it: sign-in, tries, answer. Never more than the configuration's. */
  readonly timeout?: number
  /**
   * Whether CDS may get it twice. If not, it is sent again only if it surely did not arrive; after any other failure whoever asked
   * has to look what became of it.
   */
  readonly twice: 'harmless' | 'never'
}

/** What a line needs. */
export interface LineOptions {
  readonly url: string
  readonly http: HttpClient
  readonly webSockets: WebSockets
  readonly clock: Clock
  readonly requestTimeout: number
  /** Asks for a session with `post`, which sends without one, and resolves to its token. */
  readonly signIn: (post: (path: string, body: string) => Promise<unknown>) => Promise<string>
}

/** The way to one side of a CDS API, with its session. */
export class Line {
  readonly session: Session
  readonly #options: LineOptions

  constructor(options: LineOptions) {
    this.#options = options
    this.session = new Session(options.clock, () => options.signIn((path, body) => this.#signIn(path, body)))
  }

  /** Sends a call and resolves to its answer as JSON; undefined if it has none. Rejects with `CdsRefused` or as the HTTP port does. */
  async send(call: CdsCall, signal: AbortSignal): Promise<unknown> {
    return await this.#repeatedly(call, signal, limited => this.#withSession(call, limited))
  }

  /** As `send`, but undefined if CDS answers with one of the statuses that mean that it is gone. */
  async sendUnlessGone(call: CdsCall, gone: readonly number[], signal: AbortSignal): Promise<unknown> {
    try {
      return await this.send(call, signal)
    } catch (error) {
      if (CdsRefused.is(error) && gone.includes(error.details.status)) return undefined
      throw error
    }
  }

  /** Sends a call if there is a session anyway. */
  async sendIfSignedIn(call: CdsCall, signal: AbortSignal): Promise<unknown> {
    const token = this.session.current
    if (token === undefined) return undefined
    return await this.#repeatedly(call, signal, limited => this.#once(call, token, limited))
  }

  /** Opens a web socket, with the session that every other call has: a new one comes by the same sign-in with all that belongs to it. */
  async connect(path: string, signal: AbortSignal): Promise<WebSocketConnection> {
    const token = await this.session.token(signal)
    const url = `${this.#options.url.replace(/^http/, 'ws')}${path}`
    const timeout = this.#options.requestTimeout
    try {
      return await this.#options.webSockets.connect({ url, headers: { ...this.#dates(), ...bearer(token) }, timeout, signal })
    } catch (error) {
      if (Unreachable.is(error) && error.details.status === 401) this.session.drop(token)
      throw error
    }
  }

  async #signIn(path: string, body: string): Promise<unknown> {
    const call: CdsCall = { method: 'POST', path, body, twice: 'harmless' }
    return await this.#repeatedly(call, new AbortController().signal, limited => this.#once(call, undefined, limited))
  }

  async #repeatedly(call: CdsCall, signal: AbortSignal, attempt: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const { clock, requestTimeout } = this.#options
    using deadline = clock.deadline(Math.min(call.timeout ?? requestTimeout, requestTimeout), signal)
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(deadline.signal)
      } catch (error) {
        const again = call.twice === 'harmless' ? isUnclear(error) || didNotArrive(error) : didNotArrive(error)
        if (!again || tries === mostTries || deadline.signal.aborted) throw error
        await clock.sleep(betweenTries, deadline.signal).catch(() => {
          // What went wrong says more than that there was no time to try again.
          throw signal.aborted ? signal.reason : error
        })
      }
    }
  }

  async #withSession(call: CdsCall, signal: AbortSignal): Promise<unknown> {
    const token = await this.session.token(signal)
    try {
      return await this.#once(call, token, signal)
    } catch (error) {
      if (!CdsRefused.is(error) || error.details.status !== 401) throw error
      this.session.drop(token)
      // CDS did nothing, because it did not know who asked. It will know now.
      return await this.#once(call, await this.session.token(signal), signal)
    }
  }

  async #once(call: CdsCall, token: Secret | undefined, signal: AbortSignal): Promise<unknown> {
    const path = typeof call.path === 'string' ? call.path : call.path()
    const response = await this.#options.http.send({
      method: call.method,
      url: `${this.#options.url}${path}`,
      headers: {
        'Content-Type': 'application/json',
        'Accept-Encoding': 'gzip',
        ...this.#dates(),
        ...(token !== undefined && bearer(token)),
      },
      ...(call.body !== undefined && { body: call.body }),
      timeout: this.#options.requestTimeout,
      signal,
    })
    const name = `${call.method} ${path.split('?')[0]}`
    if (response.status >= 300) throw CdsRefused({ call: name, status: response.status, ...refusalIn(response) })
    return answerIn(response, name)
  }

  #dates(): Record<string, string> {
    const date = cdsDate(this.#options.clock.now())
    return { Date: date, 'X-CDS-RemoteTime': date }
  }
}

/** Whether CDS may have done what it was asked although it did not say so. */
export function isUnclear(error: unknown): boolean {
  if (CdsRefused.is(error)) return error.details.status === 409 || error.details.status >= 500
  if (Unreachable.is(error)) return error.details.sent
  return DeadlineExceeded.is(error) || CdsAnswerNotUnderstood.is(error)
}

function didNotArrive(error: unknown): boolean {
  return Unreachable.is(error) && !error.details.sent
}

function bearer(token: Secret): Record<string, Secret> {
  return { Authorization: new Secret(`Bearer ${token.reveal()}`) }
}

function answerIn(response: HttpResponse, call: string): unknown {
  const text = response.status === 204 ? '' : response.text().trim()
  if (text === '') return undefined
  try {
    return parseJson(text) ?? undefined
  } catch {
    throw CdsAnswerNotUnderstood({ call, why: 'it is not JSON' })
  }
}

function refusalIn(response: HttpResponse): { readonly id: number; readonly why: string } {
  let answer = fieldsOf(undefined)
  try {
    answer = fieldsOf(parseJson(response.text()))
  } catch {
    // A proxy's page, most likely: the status has to say it.
  }
  const words = [textIn(answer, 'message'), textIn(answer, 'from')].filter(each => each !== '')
  const why = words.join(': ') || (response.status < 400 ? 'it answered with a redirect' : 'it gave no reason')
  return { id: numberIn(answer, 'id'), why: why.slice(0, mostWords) }
}
