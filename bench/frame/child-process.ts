import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What a child measured, by name. */
export type Measured = Readonly<Record<string, number>>

/**
 * Runs a script in a process of its own, so that no round inherits the heap of another, and reads what it measured from the last
 * line that it prints.
 */
export function inChild(script: URL, args: readonly (string | number)[]): Promise<Measured> {
  const child = spawn(process.execPath, ['--expose-gc', fileURLToPath(script), ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => {
      const last = text.trimEnd().split('\n').at(-1) ?? ''
      if (code === 0) resolve(JSON.parse(last) as Measured)
      else reject(new Error(`${fileURLToPath(script)} ${args.join(' ')} ended with code ${code}`))
    })
  })
}
