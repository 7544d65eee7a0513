import { type Clock, DeadlineExceeded, Failure, type Processes } from '../../ports/index.ts'
import { destroyAnswer, hookRequest, type HookVerb, installAnswer, powerAnswer, withoutPasswords } from './hook-messages.ts'
import type { DestroyRequest, Installer, InstallRequest, PowerRequest } from './installer.ts'

/** Which command, and how long it may take. */
export interface CommandHookOptions {
  /** The command and its first arguments; the verb follows. */
  readonly command: readonly string[]
  readonly processes: Processes
  readonly clock: Clock
  /** Milliseconds for an installation or a removal. */
  readonly timeout: number
  /** Whether the command knows the verb `power`. */
  readonly canHibernate: boolean
  /** The environment that the command starts with; what the cluster asks for is added. */
  readonly environment: Readonly<Record<string, string>>
}

/** The exit code by which a hook says that another attempt would fail, too (EX_CONFIG). */
const hopeless = 78

const lastProgress = 1_000

/** A command that runs, or has ended and was not asked about yet. */
interface Run {
  readonly end: AbortController
  progress: string
  answer: unknown
}

/**
 * An installer that is a command: `COMMAND install|destroy|power` with the request as JSON on standard input. What it prints is kept
 * as the log; a line `progress: TEXT` says how far it is; the last line of standard output of `install` is the result as JSON. Runs
 * that a restart of this program has cut off are failed attempts, whose remains the next attempt removes.
 */
export function commandHook(options: CommandHookOptions): Installer {
  const { clock } = options
  const runs = new Map<string, Run>()
  const listeners = new Set<(key: string) => void>()

  /** The answer of a run if it has ended, else undefined; a run that was not begun is begun. */
  const follow = (id: string, verb: HookVerb, request: InstallRequest | DestroyRequest | PowerRequest): Run => {
    const known = runs.get(id)
    if (known !== undefined) return known
    const run: Run = { end: new AbortController(), progress: 'the installer hook runs', answer: undefined }
    runs.set(id, run)
    void execute(options, verb, request, run).then(answer => {
      run.answer = answer
      for (const listener of listeners) listener(request.key)
    })
    return run
  }

  return {
    install: async request => {
      const id = `install ${request.provision}`
      const since = clock.now() - request.startedAt
      // The attempt is older than this process, which does not know of it.
      if (!runs.has(id) && since > startLimit)
        return { state: 'failed', reason: 'AttemptLost', message: 'the program was restarted during the installation', retryable: true }
      const run = follow(id, 'install', request)
      if (run.answer === undefined)
        return { state: 'installing', message: run.progress, again: clock.now() + 30_000, until: request.startedAt + options.timeout }
      return installAnswer(run.answer, clock.now())
    },
    destroy: async request => {
      for (const [id, run] of runs)
        if (id.startsWith(`install ${nameIn(request.key)}-`)) run.end.abort(new Error('the cluster is to be removed'))
      const id = `destroy ${request.infraID}`
      const run = follow(id, 'destroy', request)
      if (run.answer === undefined) return { state: 'removing', message: run.progress, again: clock.now() + 30_000 }
      runs.delete(id)
      return destroyAnswer(run.answer, clock.now())
    },
    power: async request => {
      if (!options.canHibernate) return { state: 'unsupported' }
      const id = `power ${request.infraID} ${request.wanted}`
      const run = follow(id, 'power', request)
      if (run.answer === undefined) return { state: 'changing', message: run.progress, again: clock.now() + 30_000 }
      runs.delete(id)
      const { state } = run.answer as { readonly state?: string }
      return state === 'failed'
        ? { state: 'changing', message: 'the hook failed, it is tried again', again: clock.now() + 60_000 }
        : powerAnswer({ state: request.wanted }, clock.now())
    },
    onChange: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Milliseconds within which an attempt that was written down is begun. */
const startLimit = 120_000

function nameIn(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}

async function execute(
  { command, processes, timeout, environment }: CommandHookOptions,
  verb: HookVerb,
  request: InstallRequest | DestroyRequest | PowerRequest,
  run: Run,
): Promise<unknown> {
  const [program = '', ...args] = command
  const lines: string[] = []
  const wanted = 'environment' in request ? request.environment : {}
  try {
    const { code, stdout } = await processes.run({
      command: program,
      args: [...args, verb],
      environment: {
        ...environment,
        ...wanted,
        CLUSTER_NAME: request.clusterName,
        BASE_DOMAIN: request.baseDomain,
        INFRA_ID: request.infraID,
        CLUSTER_ID: request.clusterID,
      },
      input: hookRequest(verb, request),
      timeout,
      signal: run.end.signal,
      onLine: line => {
        if (line.startsWith('{')) return
        lines.push(line)
        if (line.startsWith('progress: ')) run.progress = withoutPasswords(line.slice('progress: '.length)).slice(0, lastProgress)
      },
    })
    const log = withoutPasswords(lines.join('\n'))
    if (code !== 0)
      return {
        state: 'failed',
        reason: 'HookFailed',
        message: `the hook ended with code ${code}: ${lastLine(log)}`,
        retryable: code !== hopeless,
        log,
      }
    if (verb !== 'install') return {}
    return result(stdout, log)
  } catch (error) {
    const reason = DeadlineExceeded.is(error) ? 'AttemptDeadlineExceeded' : 'HookFailed'
    const message = error instanceof Failure || error instanceof Error ? error.message : String(error)
    return { state: 'failed', reason, message, retryable: true, log: withoutPasswords(lines.join('\n')) }
  }
}

/** The last line of what an installation printed; anything else is a failure, not an accident. */
function result(stdout: string, log: string): unknown {
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  try {
    const answer = JSON.parse(last) as unknown
    installAnswer(answer, 0)
    return answer
  } catch {
    return {
      state: 'failed',
      reason: 'HookAnswerNotValid',
      message: 'the last line that the hook printed is not the result',
      retryable: true,
      log,
    }
  }
}

function lastLine(log: string): string {
  return log.trimEnd().split('\n').at(-1) || 'it printed nothing'
}
