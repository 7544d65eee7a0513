import { type Clock, DeadlineExceeded, type Processes } from '../../ports/index.ts'
import { destroyAnswer, hookRequest, type HookVerb, installAnswer, powerAnswer, withoutPasswords } from './hook-messages.ts'
import { type DestroyRequest, type Installer, type InstallRequest, longestLog, type PowerRequest } from './installer.ts'

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

/** The longest text that is shown to whoever waits. */
const longestMessage = 1_000

/** Milliseconds for which it is known how an attempt ended, after somebody was last told: by then it is written down. */
const remembered = 3_600_000

/** What takes the place of a result, with its log and its kubeconfig, that nobody asks for any more. */
const forgotten = {
  state: 'failed',
  reason: 'AttemptLost',
  message: 'how the installation ended was told long ago and is not known any more',
  retryable: true,
}

/** A command that runs, or has ended and was not asked about yet. */
interface Run {
  readonly verb: HookVerb
  /** The cluster that it is about. */
  readonly key: string
  readonly end: AbortController
  progress: string
  answer: unknown
  /** When somebody was last told how an attempt ended. */
  toldAt: number | undefined
}

/**
 * An installer that is a command: `COMMAND install|destroy|power` with the request as JSON on standard input. What it prints is kept
 * as the log; a line `progress: TEXT` says how far it is; the last line of standard output of `install` is the result as JSON. One
 * command at a time is at work on a cluster. When nobody listens any more, because this program stops or another leads now, all are
 * ended; and runs that a restart of this program has cut off are failed attempts, whose remains the next attempt removes.
 */
export function commandHook(options: CommandHookOptions): Installer {
  const { clock } = options
  const runs = new Map<string, Run>()
  const listeners = new Set<(key: string) => void>()
  // In whole seconds, as the beginning of an attempt is written down.
  const thisSecond = () => Math.floor(clock.now() / 1000) * 1000
  let atWorkSince = thisSecond()
  let isEnded = false

  /** A run; one that was not begun is begun, unless all is to end. */
  const follow = (id: string, verb: HookVerb, request: InstallRequest | DestroyRequest | PowerRequest): Run => {
    const known = runs.get(id)
    if (known !== undefined) return known
    const run: Run = {
      verb,
      key: request.key,
      end: new AbortController(),
      progress: 'the installer hook runs',
      answer: undefined,
      toldAt: undefined,
    }
    if (isEnded) return run
    for (const old of runs.values()) if (old.toldAt !== undefined && clock.now() - old.toldAt > remembered) old.answer = forgotten
    runs.set(id, run)
    void execute(options, verb, request, run).then(answer => {
      run.answer = answer
      for (const listener of listeners) listener(request.key)
    })
    return run
  }

  /** Forgets what has ended for a cluster, and says what else is still at work on it. */
  const othersOf = (key: string, id: string): readonly Run[] => {
    const others = [...runs].filter(([other, run]) => run.key === key && other !== id)
    for (const [other, { answer }] of others) if (answer !== undefined) runs.delete(other)
    return others.flatMap(([, run]) => (run.answer === undefined ? [run] : []))
  }

  const later = () => clock.now() + 30_000

  return {
    install: async request => {
      const id = `install ${request.key} ${request.provision}`
      // The attempt is older than this process, or than its leadership. Whether it was begun, nobody knows.
      if (!runs.has(id) && request.startedAt < atWorkSince)
        return { state: 'failed', reason: 'AttemptLost', message: 'the program was restarted during the installation', retryable: true }
      const others = othersOf(request.key, id)
      for (const { end } of others) end.abort(new Error('another attempt begins'))
      if (others.length > 0) return { state: 'installing', message: 'what ran before is being ended', again: later() }
      const run = follow(id, 'install', request)
      if (run.answer === undefined)
        return { state: 'installing', message: run.progress, again: later(), until: request.startedAt + options.timeout }
      run.toldAt = clock.now()
      return installAnswer(run.answer, clock.now())
    },
    destroy: async request => {
      const id = `destroy ${request.infraID}`
      const others = othersOf(request.key, id)
      for (const { verb, end } of others) if (verb !== 'destroy') end.abort(new Error('the cluster is to be removed'))
      // What is still being made could not be removed.
      if (others.length > 0) return { state: 'removing', message: 'what ran before is being ended', again: later() }
      const run = follow(id, 'destroy', request)
      if (run.answer === undefined) return { state: 'removing', message: run.progress, again: later() }
      runs.delete(id)
      return destroyAnswer(run.answer, clock.now())
    },
    power: async request => {
      if (!options.canHibernate) return { state: 'unsupported' }
      const id = `power ${request.infraID} ${request.wanted}`
      const before = [...runs].find(([other, { verb, key }]) => verb === 'power' && key === request.key && other !== id)
      if (before !== undefined && before[1].answer === undefined)
        return { state: 'changing', message: 'the change before is still under way', again: later() }
      if (before !== undefined) runs.delete(before[0])
      const run = follow(id, 'power', request)
      if (run.answer === undefined) return { state: 'changing', message: run.progress, again: later() }
      runs.delete(id)
      const { state, message } = run.answer as { readonly state?: string; readonly message?: string }
      return state === 'failed'
        ? { state: 'changing', message: `${message}; it is tried again`, again: clock.now() + 60_000 }
        : powerAnswer({ state: request.wanted }, clock.now())
    },
    onChange: listener => {
      if (listeners.size === 0) [atWorkSince, isEnded] = [thisSecond(), false]
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        isEnded = true
        for (const { end } of runs.values()) end.abort(new Error('the program stops, or another leads now'))
      }
    },
  }
}

async function execute(
  { command, processes, timeout, environment }: CommandHookOptions,
  verb: HookVerb,
  request: InstallRequest | DestroyRequest | PowerRequest,
  run: Run,
): Promise<unknown> {
  const [program = '', ...args] = command
  const lines: string[] = []
  let length = 0
  const log = () => withoutPasswords(lines.join('\n')).slice(-longestLog)
  const failed = (reason: string, message: string, retryable: boolean) => ({ state: 'failed', reason, message, retryable, log: log() })
  try {
    const { code, signal, stdout } = await processes.run({
      command: program,
      args: [...args, verb],
      environment: {
        ...environment,
        ...request.environment,
        CLUSTER_NAME: request.clusterName,
        BASE_DOMAIN: request.baseDomain,
        INFRA_ID: request.infraID,
        CLUSTER_ID: request.clusterID,
      },
      input: hookRequest(verb, request),
      timeout,
      signal: run.end.signal,
      onLine: line => {
        // The result is no part of the log: it lets its reader into the cluster.
        if (isResult(line)) return
        lines.push(line)
        length += line.length + 1
        while (length > 2 * longestLog && lines.length > 1) length -= lines.shift()!.length + 1
        if (line.startsWith('progress: ')) run.progress = withoutPasswords(line.slice('progress: '.length)).slice(0, longestMessage)
      },
    })
    const ended = code === undefined ? `was ended by ${signal}` : `ended with code ${code}`
    if (code !== 0) return failed('HookFailed', `the hook ${ended}: ${lastLine(log())}`, code !== hopeless)
    return verb === 'install' ? result(stdout, log()) : { log: log() }
  } catch (error) {
    const reason = DeadlineExceeded.is(error) ? 'AttemptDeadlineExceeded' : 'HookFailed'
    return failed(reason, error instanceof Error ? error.message : String(error), true)
  }
}

/** The last line of what an installation printed; anything else is a failure, not an accident. */
function result(stdout: string, log: string): unknown {
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  try {
    const answer = { ...(JSON.parse(last) as object), log }
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

/** Whether a line is a result, or was meant to be one: written in whatever way, it counts if it has a kubeconfig. */
function isResult(line: string): boolean {
  if (!line.trimStart().startsWith('{')) return false
  if (line.includes('"kubeconfig"')) return true
  try {
    return Object.hasOwn(JSON.parse(line) as object, 'kubeconfig')
  } catch {
    return false
  }
}

function lastLine(log: string): string {
  return log.trimEnd().split('\n').at(-1)?.slice(0, longestMessage) || 'it printed nothing'
}
