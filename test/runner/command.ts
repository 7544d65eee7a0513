import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

/** The root of the repository. */
const root = fileURLToPath(new URL('../..', import.meta.url))

/** How a command ended. */
export interface Ended {
  readonly ok: boolean
  /** What it printed, if it did not print to the terminal itself. */
  readonly output: string
}

/** A signal asked us to end. What was running has ended. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`)
    this.signal = signal
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const patience = 15_000

/**
 * Runs a tool of node_modules/.bin and waits for it. A signal that asks us to end is handed on to it, so that it can clean up, and
 * is thrown as `Interrupted` when it is done.
 */
export function tool(name: string, args: readonly string[], options: { readonly live?: boolean } = {}): Promise<Ended> {
  const windows = process.platform === 'win32'
  const child = spawn(join(root, 'node_modules', '.bin', windows ? `${name}.cmd` : name), args, {
    cwd: root,
    env: process.stdout.isTTY ? process.env : { ...process.env, FORCE_COLOR: undefined, NO_COLOR: '1' },
    stdio: options.live === true ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    shell: windows,
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => output.push(text))

  let ending: NodeJS.Signals | undefined
  const hand = (signal: NodeJS.Signals) => {
    ending ??= signal
    child.kill(signal)
    setTimeout(() => child.kill('SIGKILL'), patience).unref()
  }
  for (const signal of signals) process.on(signal, hand)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      for (const signal of signals) process.off(signal, hand)
      if (ending !== undefined) reject(new Interrupted(ending))
      else resolve({ ok: code === 0, output: output.join('') })
    })
  })
}
