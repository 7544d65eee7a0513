import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** What to start, told the folder that is the program's alone. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A program that runs until `stop`, or until this process ends in whatever way. */
export interface Kept {
  readonly name: string
  readonly pid: number
  /** Its own folder, removed with it. */
  readonly folder: string
  /** What it printed so far. */
  output(): string
  /** Whether it ended by itself. */
  ended(): boolean
  /** Ends it, with everything it started, and removes its folder. */
  stop(): Promise<void>
}

/**
 * Starts a program under a keeper (keeper.ts). The keeper holds the other end of a pipe to this process; when the pipe closes,
 * because of `stop`, an exit, Ctrl-C or kill -9, it ends the program and removes the folder. So nothing outlives a test run.
 */
export async function keep(name: string, program: (folder: string) => Program | Promise<Program>): Promise<Kept> {
  const folder = mkdtempSync(join(tmpdir(), `aviary-run-${name}-`))
  const log = join(folder, 'output.log')
  const order = JSON.stringify({ ...(await program(folder)), folder, log })
  const keeper = spawn(process.execPath, [fileURLToPath(new URL('keeper.ts', import.meta.url)), order], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let over = false
  const exit = new Promise<void>(resolve => keeper.once('exit', () => resolve()))
  const pid = await new Promise<number>((resolve, reject) => {
    // The keeper says the program's number when it runs, and `ended` when it does not.
    keeper.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (/^\d/.test(text)) resolve(Number.parseInt(text, 10))
      if (text.startsWith('failed')) reject(new Error(`${name} could not be started: ${text.trim()}`))
      if (text.includes('ended')) over = true
    })
    keeper.stdout.once('close', () => {
      over = true
      reject(new Error(`${name} could not be started: its keeper ended`))
    })
  })
  // Whoever forgets to stop it can still end.
  for (const part of [keeper, keeper.stdin, keeper.stdout]) if ('unref' in part && typeof part.unref === 'function') part.unref()
  return {
    name,
    pid,
    folder,
    output: () => readFileSync(log, 'utf8'),
    ended: () => over,
    async stop() {
      keeper.ref()
      keeper.stdin.end()
      await exit
    },
  }
}

/** Flags as Go programs read them: `--name=value`. */
export function flags(values: Readonly<Record<string, string | number | boolean>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`)
}

/** Waits until `check` says yes. Rejects with what the program printed if it ends before, or is not ready in time; it is stopped then. */
export async function untilReady(kept: Kept, check: () => Promise<boolean>, seconds = 90): Promise<void> {
  const patience = Date.now() + seconds * 1_000
  for (;;) {
    const ready = await check().catch(() => false)
    if (ready) return
    const why = kept.ended() ? 'ended' : Date.now() > patience ? `is not ready after ${seconds} s` : undefined
    if (why !== undefined) {
      const output = kept.output()
      await kept.stop()
      throw new Error(`${kept.name} ${why}. It printed:\n${output.split('\n').slice(-20).join('\n')}`)
    }
    await sleep(50)
  }
}
