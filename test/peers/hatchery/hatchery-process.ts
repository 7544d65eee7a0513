import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../../bin/aviary', import.meta.url))

/** How the program ended. */
export interface Ended {
  readonly code: number | null
  readonly log: string
}

/** `aviary hatchery --config FILE` as a process of its own. */
export interface HatcheryProcess {
  readonly pid: number
  /** Resolves when it serves; rejects if it ended before. */
  readonly ready: Promise<void>
  readonly ended: Promise<Ended>
  /** What it said so far, on both of its outputs. */
  log(): string
  /** Sends a signal and waits for the end. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended>
}

/** Starts the hatchery alone on an operator's file, as an operator does. */
export function startHatcheryProcess(file: string, dataDir?: string): HatcheryProcess {
  const args = ['hatchery', '--config', file, '--listen', '127.0.0.1:0', ...(dataDir === undefined ? [] : ['--data-dir', dataDir])]
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  let isOver = false
  const ended = new Promise<Ended>(resolve =>
    child.once('close', code => {
      isOver = true
      resolve({ code, log: said })
    }),
  )
  const ready = new Promise<void>((resolve, reject) => {
    const hear = (text: string) => {
      said += text
      if (/^ready /m.test(said)) resolve()
    }
    child.stdout.setEncoding('utf8').on('data', hear)
    child.stderr.setEncoding('utf8').on('data', hear)
    void ended.then(({ code, log }) => reject(new Error(`it ended with ${code}: ${log}`)))
  })
  ready.catch(() => {})
  return {
    pid: child.pid ?? 0,
    ready,
    ended,
    log: () => said,
    kill: async signal => {
      if (!isOver) child.kill(signal)
      return await ended
    },
  }
}
