import { execFileSync } from 'node:child_process'
import { mkdirSync, statfsSync } from 'node:fs'
import { peersFolder } from './cache.ts'
import { findGo } from './go.ts'

/**
 * What a peer may ask of a machine. Each answers with nothing if the machine has it, else with the reason why not,
 * which is what a reader of a skipped run sees.
 */
const needs: Readonly<Record<string, () => string | undefined>> = {
  npm: () => (answers('npm', '--version') ? undefined : 'npm is not on the PATH'),
  'linux-x64': () => {
    const here = `${process.platform}-${process.arch}`
    return here === 'linux-x64' ? undefined : `it is published for linux-x64 only and this is ${here}`
  },
  go: () => findGo().missing,
  python: () => (answers('python3', '-m', 'venv', '--help') ? undefined : 'python3 with venv is not on the PATH'),
  root: () => (process.getuid?.() === 0 ? undefined : 'it is installed by the package manager, which only root may do'),
  apt: () => (answers('apt-get', '--version') ? undefined : 'it comes from Debian packages and there is no apt-get'),
  '5 GB of disk': () => {
    mkdirSync(peersFolder(), { recursive: true })
    const { bavail, bsize } = statfsSync(peersFolder())
    return bavail * bsize >= 5e9 ? undefined : `it needs 5 GB in ${peersFolder()} while it is built`
  },
}

/** Why this machine cannot have a peer with these needs; nothing if it can. */
export function unmetNeed(names: readonly string[]): string | undefined {
  for (const name of names) {
    const look = needs[name]
    if (look === undefined) throw new Error(`test/peers/needs.ts does not know the need "${name}"`)
    const reason = look()
    if (reason !== undefined) return reason
  }
  return undefined
}

function answers(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
