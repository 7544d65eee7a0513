import { z } from 'zod'
import { Secret } from '../../ports/index.ts'
import { HookAnswerNotValid } from '../errors.ts'
import type { DestroyRequest, DestroyState, InstallRequest, InstallState, PowerRequest, PowerState } from './installer.ts'

/** What a hook is asked to do. */
export type HookVerb = 'install' | 'destroy' | 'power'

const text = z.string().min(1)
const url = text.max(1_024)
/** For whoever waits: no longer than anybody reads, without passwords. */
const told = text.transform(value => withoutPasswords(value).slice(0, 1_000))
const printed = z.string().transform(withoutPasswords).optional()

const installed = z.object({
  state: z.literal('installed').optional(),
  apiURL: url,
  consoleURL: url.optional(),
  kubeconfig: text,
  password: text.optional(),
  log: printed,
})
const failed = z.object({
  state: z.literal('failed'),
  reason: text.max(256).prefault('UnknownError'),
  message: told,
  retryable: z.boolean().prefault(true),
  log: printed,
})
const installing = z.object({ state: z.literal('installing'), message: told.prefault('the installation is under way') })
const removed = z.object({ state: z.literal('removed').optional(), log: printed })
const removing = z.object({ state: z.literal('removing'), message: told.prefault('the removal is under way') })
const power = z.object({
  state: z.enum(['Running', 'Hibernating', 'unsupported', 'changing']),
  message: told.prefault('machines change'),
})

/** Milliseconds until a hook that is at work is asked again. */
const pause = 10_000

/** What a hook answered to `install`. Throws `HookAnswerNotValid`. */
export function installAnswer(answer: unknown, now: number): InstallState {
  const state = read('install', z.union([failed, installing, installed]), answer)
  if (state.state === 'installing') return { ...state, again: now + pause }
  if (state.state === 'failed') return state
  const { apiURL, consoleURL, kubeconfig, password } = state
  return {
    state: 'installed',
    apiURL,
    consoleURL,
    log: state.log,
    kubeconfig: new Secret(kubeconfig),
    password: password === undefined ? undefined : new Secret(password),
  }
}

/** What a hook answered to `destroy`. Throws `HookAnswerNotValid`. */
export function destroyAnswer(answer: unknown, now: number): DestroyState {
  const state = read('destroy', z.union([failed, removing, removed]), answer)
  if (state.state === 'removing') return { ...state, again: now + pause }
  return state.state === 'failed' ? { state: 'failed', message: state.message, log: state.log } : { state: 'removed', log: state.log }
}

/** What a hook answered to `power`. Throws `HookAnswerNotValid`. */
export function powerAnswer(answer: unknown, now: number): PowerState {
  const { state, message } = read('power', power, answer)
  return state === 'changing' ? { state, message, again: now + pause } : { state }
}

function read<T>(what: HookVerb, schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw HookAnswerNotValid({ what, why: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') })
}

/** The one place where what an installer may know is put into the open: into the request that is handed to the hook alone. */
export function hookRequest(verb: HookVerb, request: InstallRequest | DestroyRequest | PowerRequest): string {
  return JSON.stringify({ verb, ...(revealed(request) as object) })
}

function revealed(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal()
  if (Array.isArray(value)) return value.map(revealed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revealed(inner)]))
}

/** A log without lines that speak of passwords. */
export function withoutPasswords(log: string): string {
  return log
    .split('\n')
    .map(line => (/password/i.test(line) ? 'REDACTED LINE OF OUTPUT' : line))
    .join('\n')
}
