import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { normalise } from './normalise.ts'
import type { Chapter, Step } from './step.ts'

export interface Kubectl {
  readonly program: string
  readonly kubeconfig: string
}

/** Runs steps through kubectl and writes down what it printed. Everything it leaves behind is in one folder. */
export class Transcriber {
  readonly #kubectl: Kubectl
  readonly #folder = mkdtempSync(join(tmpdir(), 'aviary-kubectl-'))
  readonly #server: string

  constructor(kubectl: Kubectl) {
    this.#kubectl = kubectl
    this.#server = /server"?: ?"?(https?:\/\/[^\s"]+)/.exec(readFileSync(kubectl.kubeconfig, 'utf8'))?.[1] ?? ''
  }

  /** What a person would have seen, normalised. */
  async chapter({ steps }: Chapter): Promise<string> {
    const parts: string[] = []
    for (const step of steps) parts.push(await this.#step(step))
    return parts.join('\n')
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #step(step: Step): Promise<string> {
    for (const [name, content] of Object.entries(step.files ?? {})) writeFileSync(join(this.#folder, name), content)
    const process = this.#start(step)
    const inner: string[] = []
    if (step.during !== undefined) {
      await process.printed(step.during.after ?? /^/)
      for (const one of step.during.steps) inner.push(`${(await this.#step(one)).trimEnd().replace(/^/gm, '    ')}\n`)
      await process.printed(step.during.until)
    }
    const { code, stdout, stderr } = await process.ended(step.during !== undefined && step.run.includes('--watch'))
    const shown = step.silent === undefined ? `${section(stdout, '')}${section(stderr, '! ')}` : `(${step.silent})\n`
    return `$ kubectl ${step.run}\n${inner.join('')}${normalise(shown, this.#folder, this.#server)}exit ${code}\n`
  }

  #start(step: Step) {
    const child = spawn(this.#kubectl.program, words(step.run), {
      cwd: this.#folder,
      env: {
        PATH: process.env['PATH'],
        HOME: this.#folder,
        KUBECONFIG: this.#kubectl.kubeconfig,
        KUBE_EDITOR: step.editor ?? 'false',
        TZ: 'UTC',
        LC_ALL: 'C.UTF-8',
      },
    })
    let stdout = ''
    let stderr = ''
    let check = () => {}
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      check()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
      check()
    })
    child.stdin.on('error', () => {}).end(step.stdin ?? '')
    const closed = new Promise<number | string>(resolve => child.on('close', (code, signal) => resolve(code ?? signal ?? '')))
    return {
      /** Resolves when the output matches, or when there will be no more of it: the transcript shows what it was. */
      printed: async (pattern: RegExp) => {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        check = () => (pattern.test(stdout + stderr) ? resolve() : undefined)
        check()
        const timer = setTimeout(() => {
          child.kill('SIGKILL')
          reject(new Error(`kubectl ${step.run} did not print ${pattern} within 20 s, but:\n${stdout}${stderr}`))
        }, 20_000)
        try {
          await Promise.race([promise, closed])
        } finally {
          clearTimeout(timer)
        }
      },
      ended: async (stop: boolean) => {
        if (stop) child.kill('SIGTERM')
        const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
        const code = await closed
        clearTimeout(timer)
        return { code: stop ? 'when stopped' : code, stdout, stderr }
      },
    }
  }
}

function words(line: string): readonly string[] {
  return (line.match(/(?:[^\s']+|'[^']*')+/g) ?? []).map(word => word.replace(/'([^']*)'/g, '$1'))
}

function section(text: string, mark: string): string {
  return text === '' ? '' : `${text.replace(/\n$/, '').replace(/^/gm, mark)}\n`
}
