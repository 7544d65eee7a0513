import { spawn, type ChildProcess } from 'node:child_process'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/** Surroundings of a command. */
export interface CommandOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** The commands of one set-up, with a log of what they print. */
export class Commands {
  readonly #log: string
  readonly #running = new Set<ChildProcess>()

  constructor(log: string) {
    this.#log = log
    writeFileSync(log, '')
  }

  /** Runs a command and gives its output; rejects with the last lines if it fails. */
  run(command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
    appendFileSync(this.#log, `$ ${[command, ...args].join(' ')}\n`)
    return new Promise((resolve, reject) => {
      // A group of its own, so that `kill` reaches what the command starts, too.
      const child = spawn(command, args, {
        cwd: options.cwd,
        env: { ...process.env, ...options.env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      this.#running.add(child)
      // Builds run beside tests, whose timeouts must not suffer from it.
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
      const output: string[] = []
      const errors: string[] = []
      child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text))
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors.push(text)
        appendFileSync(this.#log, text)
      })
      child.on('error', reject)
      child.on('close', (code, signal) => {
        this.#running.delete(child)
        if (code === 0) return resolve(output.join(''))
        const lines = [...output, ...errors].join('').trim().split('\n').slice(-5).join('\n')
        reject(new Error(`${command} ${args[0] ?? ''} ended with ${signal ?? `code ${code}`}\n${lines}`))
      })
    })
  }

  /** Ends whatever still runs. */
  kill(): void {
    for (const { pid } of this.#running) {
      try {
        if (pid !== undefined) process.kill(-pid, 'SIGKILL')
      } catch {
        // It has just ended.
      }
    }
  }

  /** Removes the log: nothing in it is of interest any more. */
  forget(): void {
    rmSync(this.#log, { force: true })
  }
}
