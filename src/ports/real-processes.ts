import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { Clock } from './clock.ts'
import { CommandNotFound, CommandNotStarted } from './errors.ts'
import { LineSplitter } from './line-splitter.ts'
import { OutputTail } from './output-tail.ts'
import type { ProcessRequest, ProcessResult, Processes } from './processes.ts'
import { endGroup } from './process-group.ts'
import { Secret } from './secret.ts'
import { codeOf, whyItFailed } from './text.ts'

const defaultMaxOutput = 1024 * 1024

/** The machine's processes. Each runs in a process group of its own, so that its children can be ended with it. */
export function realProcesses(clock: Clock): Processes {
  return Object.freeze({ run: request => run(request, clock) } satisfies Processes)
}

async function run(request: ProcessRequest, clock: Clock): Promise<ProcessResult> {
  request.signal?.throwIfAborted()
  using deadline = clock.deadline(request.timeout, request.signal)
  // What the caller does with a line may go wrong; then the process has no reader any more and is ended like any other.
  const reader = new AbortController()
  const stop = AbortSignal.any([deadline.signal, reader.signal])

  const child = await start(request)
  const [stdout, stderr] = (['stdout', 'stderr'] as const).map(source => collect(child[source] as Readable, source, request, reader))
  child.stdin?.on('error', () => {}).end(request.input)

  const exited = once(child, 'exit')
  const closed = once(child, 'close')
  await settledOrAborted(exited, stop)
  // After an exit of its own accord too: what it left behind would keep its outputs open and nobody would ever look for it.
  await endGroup(child.pid as number, clock)
  await closedOrGivenUp(child, closed, clock)
  stop.throwIfAborted()
  return { code: child.exitCode ?? undefined, signal: child.signalCode ?? undefined, stdout: String(stdout), stderr: String(stderr) }
}

/** Resolves when the process runs. */
async function start({ command, args = [], environment, folder, input }: ProcessRequest): Promise<ChildProcess> {
  const options: SpawnOptions = {
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...(folder !== undefined && { cwd: folder }),
    ...(environment !== undefined && { env: revealed(environment) }),
  }
  // The operating system says "not found" of the folder and of the command alike.
  if (folder !== undefined && !existsSync(folder)) throw CommandNotStarted({ command, why: `there is no folder ${folder}` })
  try {
    const child = spawn(command, args, options)
    await once(child, 'spawn')
    return child
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw CommandNotFound({ command })
    // Without a cause: Node's error holds the arguments.
    throw CommandNotStarted({ command, why: whyItFailed(Object.assign(new Error('it could not be started'), { code: codeOf(error) })) })
  }
}

function revealed(environment: NonNullable<ProcessRequest['environment']>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value instanceof Secret ? value.reveal() : value]))
}

/** Reads an output to its end: keeps its tail and gives out its lines. */
function collect(output: Readable, source: 'stdout' | 'stderr', request: ProcessRequest, reader: AbortController): OutputTail {
  const { maxOutput = defaultMaxOutput, onLine } = request
  const tail = new OutputTail(maxOutput)
  const lines = new LineSplitter(maxOutput, line => {
    if (reader.signal.aborted) return
    try {
      onLine?.(line, source)
    } catch (error) {
      reader.abort(error)
    }
  })
  output.on('data', (chunk: Buffer) => {
    tail.add(chunk)
    if (onLine !== undefined) lines.add(chunk)
  })
  output.on('end', () => lines.finish())
  return tail
}

async function settledOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = () => resolve()
  signal.addEventListener('abort', done, { once: true })
  work.then(done, done)
  await promise
  signal.removeEventListener('abort', done)
}

/** A grandchild that left the group can hold the outputs open for ever: they get one more second. */
async function closedOrGivenUp(child: ChildProcess, closed: Promise<unknown>, clock: Clock): Promise<void> {
  const timer = clock.after(1000, () => {
    child.stdout?.destroy()
    child.stderr?.destroy()
  })
  await closed
  timer.cancel()
}
