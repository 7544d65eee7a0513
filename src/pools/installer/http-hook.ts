import type { Clock, HttpClient } from '../../ports/index.ts'
import { HookAnswerNotValid, HookFailed } from '../errors.ts'
import { destroyAnswer, hookRequest, type HookVerb, installAnswer, powerAnswer } from './hook-messages.ts'
import type { DestroyRequest, Installer, InstallRequest, PowerRequest } from './installer.ts'

/** Where the endpoint is, and how it is reached. */
export interface HttpHookOptions {
  readonly url: string
  readonly http: HttpClient
  readonly clock: Clock
}

const timeout = 30_000

/**
 * An installer behind an HTTP endpoint: `POST URL/install`, `/destroy` and `/power` with the request as JSON, again and again until the
 * answer says that it is through. The endpoint tells attempts apart by `provision` and clusters by `infraID`.
 */
export function httpHook({ url, http, clock }: HttpHookOptions): Installer {
  const ask = async (verb: HookVerb, request: InstallRequest | DestroyRequest | PowerRequest, signal: AbortSignal): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const { status, text } = await http.send({
      method: 'POST',
      url: `${url}/${verb}`,
      headers,
      body: hookRequest(verb, request),
      timeout,
      signal,
    })
    if (status === 404 && verb === 'power') return { state: 'unsupported' }
    if (status >= 300) throw HookFailed({ what: verb, why: `it answered with status ${status}` })
    return parsed(verb, text())
  }
  return {
    install: async (request, signal) => installAnswer(await ask('install', request, signal), clock.now()),
    destroy: async (request, signal) => destroyAnswer(await ask('destroy', request, signal), clock.now()),
    power: async (request, signal) => powerAnswer(await ask('power', request, signal), clock.now()),
    onChange: () => () => {},
  }
}

function parsed(what: HookVerb, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw HookAnswerNotValid({ what, why: 'it is not JSON' }, { cause })
  }
}
