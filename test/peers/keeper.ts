/**
 * Runs one program and ends it when standard input closes. It is a process of its own so that it outlives the test run that
 * started it by just the moment that cleaning up takes; see keep.ts.
 */
import { spawn } from 'node:child_process'
import { openSync, rmSync } from 'node:fs'

const order: { command: string; args: string[]; env?: Record<string, string>; folder: string; log: string } = JSON.parse(
  process.argv[2] ?? '{}',
)
const patience = 10_000

const log = openSync(order.log, 'w')
// A group of its own, so that what the program starts ends with it.
const program = spawn(order.command, order.args, { detached: true, env: { ...process.env, ...order.env }, stdio: ['ignore', log, log] })
let stopping = false

program.once('spawn', () => process.stdout.write(`${program.pid}\n`))
program.once('error', error => {
  process.stdout.write(`failed: ${error.message}\n`)
  tidy()
})
program.once('exit', () => {
  end('SIGKILL')
  // One that ended by itself leaves its folder: what it printed is wanted.
  if (stopping) tidy()
  else process.stdin.once('close', tidy)
  process.stdout.write('ended\n')
})
process.stdin.resume().once('close', () => {
  stopping = true
  end('SIGTERM')
  setTimeout(() => end('SIGKILL'), patience).unref()
})
process.stdout.on('error', () => {})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.stdin.destroy())

function end(signal: NodeJS.Signals): void {
  try {
    if (program.pid !== undefined) process.kill(-program.pid, signal)
  } catch {
    // Nobody is left in the group.
  }
}

function tidy(): void {
  rmSync(order.folder, { recursive: true, force: true, maxRetries: 3 })
  process.exit()
}
