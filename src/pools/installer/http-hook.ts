import { type Clock, formatDuration, type HttpClient, Secret } from '../../ports/index.ts'
import { HookAnswerNotValid, HookFailed } from '../errors.ts'
import { destroyAnswer, hookRequest, type HookVerb, installAnswer, powerAnswer } from './hook-messages.ts'
import type { DestroyRequest, Installer, InstallRequest, InstallState, PowerRequest } from './installer.ts'

/** Where the endpoint is, and how it is reached. */
export interface HttpHookOptions {
  readonly url: string
  /** Makes the client, when it is first needed; tried again if that fails. */
  readonly connect: () => Promise<HttpClient>
  /** Proves to the endpoint who is asking: sent as a bearer token. */
  readonly token?: Secret | undefined
  readonly clock: Clock
  /** Milliseconds for an installation. */
  readonly timeout: number
}

/** Milliseconds within which the endpoint answers. */
const answerLimit = 30_000

/**
 * An installer behind an HTTP endpoint: `POST URL/install`, `/destroy` and `/power` with the request as JSON, again and again until the
 * answer says that it is through. The endpoint tells attempts apart by `provision` and clusters by `infraID`.
 */
export function httpHook({ url, connect, token, clock, timeout }: HttpHookOptions): Installer {
  let client: Promise<HttpClient> | undefined
  const connected = () => {
    const made = (client ??= connect())
    made.catch(() => (client = undefined))
    return made
  }
  const authorization = token === undefined ? {} : { authorization: new Secret(`Bearer ${token.reveal()}`) }
  const ask = async (verb: HookVerb, request: InstallRequest | DestroyRequest | PowerRequest, signal: AbortSignal): Promise<unknown> => {
    const http = await connected()
    const headers = { ...authorization, 'content-type': 'application/json', accept: 'application/json' }
    const { status, text } = await http.send({
      method: 'POST',
      url: `${url}/${verb}`,
      headers,
      body: hookRequest(verb, request),
      timeout: answerLimit,
      signal,
    })
    if (status === 404 && verb === 'power') return { state: 'unsupported' }
    if (status === 401 || status === 403)
      throw HookFailed({ what: verb, why: `it answered with status ${status}: pools.installer.token is not what it wants` })
    if (status >= 300) throw HookFailed({ what: verb, why: `it answered with status ${status}` })
    return parsed(verb, text())
  }
  return {
    install: async (request, signal) => {
      const until = request.startedAt + timeout
      const isLate = () => clock.now() >= until
      try {
        const state = installAnswer(await ask('install', request, signal), clock.now())
        if (state.state !== 'installing') return state
        return isLate() ? tookTooLong(timeout, state.message) : { ...state, until }
      } catch (error) {
        // An endpoint that is away for so long does not install anything either.
        if (signal.aborted || !isLate()) throw error
        return tookTooLong(timeout, error instanceof Error ? error.message : String(error))
      }
    },
    destroy: async (request, signal) => destroyAnswer(await ask('destroy', request, signal), clock.now()),
    power: async (request, signal) => powerAnswer(await ask('power', request, signal), clock.now()),
    onChange: () => () => {},
  }
}

/** The next attempt has the endpoint remove what this one has left. */
function tookTooLong(timeout: number, last: string): InstallState {
  const message = `the installation took longer than ${formatDuration(timeout)}; at last: ${last}`
  return { state: 'failed', reason: 'AttemptDeadlineExceeded', message, retryable: true }
}

function parsed(what: HookVerb, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw HookAnswerNotValid({ what, why: 'it is not JSON' }, { cause })
  }
}
