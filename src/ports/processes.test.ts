import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { CommandNotFound, CommandNotStarted, DeadlineExceeded } from './errors.ts'
import type { ProcessRequest } from './processes.ts'
import { realClock } from './clock.ts'
import { realProcesses } from './real-processes.ts'
import { Secret } from './secret.ts'
import { VirtualClock } from './virtual-clock.ts'

const clock = realClock()
const processes = realProcesses(clock)

const sh = (script: string, more: Partial<ProcessRequest> = {}) =>
  processes.run({ command: '/bin/sh', args: ['-c', script], timeout: 15_000, ...more })

/** Whether a process still runs; one that has ended and waits to be collected does not. */
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !existsSync('/proc/self') || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('any exit code is a result, with both outputs', async () => {
  expect(await sh('echo out; echo err >&2; exit 3')).toEqual({ code: 3, signal: undefined, stdout: 'out\n', stderr: 'err\n' })
})

test('an end by a signal is a result too', async () => {
  expect(await sh('kill -9 $$')).toMatchObject({ code: undefined, signal: 'SIGKILL' })
})

test('input is handed over, and without any there is none', async () => {
  expect((await sh('cat', { input: 'hello' })).stdout).toBe('hello')
  expect((await sh('cat')).stdout).toBe('')
})

test('a process need not read its input', async () => {
  expect((await sh('exit 0', { input: 'x'.repeat(1_000_000) })).code).toBe(0)
})

test('the environment is exactly the one that is given, secrets revealed', async () => {
  const { stdout } = await sh('env', { environment: { TOKEN: new Secret('hidden'), PLAIN: 'seen' } })
  const names = stdout.split('\n')
  expect(names).toEqual(expect.arrayContaining(['TOKEN=hidden', 'PLAIN=seen']))
  expect(names.some(line => line.startsWith('HOME='))).toBe(false)
})

test('it runs in the folder that is given', async () => {
  expect((await sh('pwd -P', { folder: '/' })).stdout).toBe('/\n')
})

test('a command that is not there is named', async () => {
  await expect(processes.run({ command: 'no-such-command-of-aviary', timeout: 1000 })).rejects.toMatchObject({
    code: CommandNotFound.code,
    message: expect.stringContaining('no-such-command-of-aviary'),
    fix: expect.stringContaining('install'),
  })
})

test.each([
  ['a folder that is missing', { command: '/bin/sh', folder: '/no/such/folder' }, 'there is no folder /no/such/folder'],
  ['a command that cannot be run', { command: tmpdir() }, 'permission denied'],
])('%s is told apart from a command that is missing', async (_case, request, why) => {
  const error = await processes.run({ ...request, args: ['--password=hidden'], timeout: 1000 }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: CommandNotStarted.code, message: expect.stringContaining(why) })
  expect(JSON.stringify(error)).not.toContain('hidden')
})

test('lines are handed out whole, from both outputs, the last one without its end', async () => {
  const lines: string[] = []
  await sh(String.raw`printf 'one\ntwo\r\nthr'; sleep 0.05; printf 'ee\n\nfünf'; printf 'oops\n' >&2`, {
    onLine: (line, source) => lines.push(`${source} ${line}`),
  })
  expect(lines.filter(line => line.startsWith('stdout'))).toEqual(['stdout one', 'stdout two', 'stdout three', 'stdout ', 'stdout fünf'])
  expect(lines).toContain('stderr oops')
})

test('lines are handed out while it runs', async () => {
  const stop = new AbortController()
  const run = sh('echo ready; sleep 60', { signal: stop.signal, onLine: line => line === 'ready' && stop.abort(new Error('seen')) })
  await expect(run).rejects.toThrow('seen')
})

test('of a long output the end is kept', async () => {
  const { stdout } = await sh('i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done', { maxOutput: 100 })
  expect(stdout.length).toBeLessThanOrEqual(100)
  expect(stdout.endsWith('line 2998\nline 2999\n')).toBe(true)
})

test('when time is up the process and its children end, and the error says so', async () => {
  // Time is up when both children are there, however long that takes.
  const virtual = new VirtualClock()
  const pids: number[] = []
  const run = realProcesses({ ...clock, deadline: (milliseconds, parent) => virtual.deadline(milliseconds, parent) }).run({
    command: '/bin/sh',
    args: ['-c', 'sleep 300 & echo $!; sleep 300 & echo $!; wait'],
    timeout: 500,
    onLine: line => pids.push(Number(line)) === 2 && void virtual.advance(500),
  })
  await expect(run).rejects.toMatchObject({ code: DeadlineExceeded.code, details: { milliseconds: 500 } })
  expect(pids.filter(isAlive)).toEqual([])
})

test('what will not end when it is asked to is made to', async () => {
  // A clock on which the time of grace is over soon.
  const hurried = realProcesses({ ...clock, monotonic: () => 50 * clock.monotonic() })
  const pids: number[] = []
  const stop = new AbortController()
  const run = hurried.run({
    command: '/bin/sh',
    args: ['-c', `trap '' TERM; echo $$; while :; do sleep 0.05; done`],
    timeout: 15_000,
    signal: stop.signal,
    onLine: line => (pids.push(Number(line)), stop.abort('enough')),
  })
  await expect(run).rejects.toBe('enough')
  expect(pids.filter(isAlive)).toEqual([])
})

test('a process gets the chance to clean up', async () => {
  const lines: string[] = []
  const stop = new AbortController()
  const script = `trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.05; done`
  const run = sh(script, {
    signal: stop.signal,
    onLine: (line, source) => (source === 'stdout' && lines.push(line), line === 'ready' && stop.abort('enough')),
  })
  await expect(run).rejects.toBe('enough')
  expect(lines).toEqual(['ready', 'cleaned'])
})

test('what a process leaves running behind it is ended, so that the result does not wait for it', async () => {
  const { stdout, code } = await sh('sleep 300 & echo $!; exit 4')
  expect(code).toBe(4)
  expect(isAlive(Number(stdout))).toBe(false)
})

test('an aborted signal starts nothing', async () => {
  await expect(sh('echo no', { signal: AbortSignal.abort('before'), onLine: () => expect.unreachable() })).rejects.toBe('before')
})

test('a reader that throws ends the process and gets its error back', async () => {
  const onLine = () => {
    throw new Error('cannot read that')
  }
  await expect(sh('echo x; sleep 300', { onLine })).rejects.toThrow('cannot read that')
})
