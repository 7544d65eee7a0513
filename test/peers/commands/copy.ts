import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../rules/repository.ts'

/** A small repository with our run.mjs, on a machine of its own as far as HOME goes. */
export interface Copy {
  readonly folder: string
  readonly home: string
  /** Starts a command in it, as the leader of a process group, as a terminal would. */
  start(command: string, ...args: readonly string[]): Started
  remove(): void
}

/** A command that runs. */
export interface Started {
  readonly process: ChildProcess
  /** Resolves when the command has ended. */
  readonly ended: Promise<{
    readonly code: number | null
    readonly signal: NodeJS.Signals | null
    readonly stdout: string
    readonly stderr: string
  }>
  /** Resolves when standard output holds a text. */
  printed(text: string): Promise<void>
  /** What Ctrl-C does in a terminal: a signal for everybody in the group. */
  interrupt(): void
}

/** A Node that run.mjs must work on. */
interface NodeOfPath {
  readonly version: string
  readonly folder: string
}

/** Every one of the PATH that matters: the one that runs this, and the first that is too old for Aviary if there is one. */
export function nodes(): readonly NodeOfPath[] {
  const old = oldNode()
  return [{ version: process.version, folder: dirname(process.execPath) }, ...(old === undefined ? [] : [old])]
}

/** The first Node of the PATH that is too old for Aviary, but not for run.mjs. */
export function oldNode(): NodeOfPath | undefined {
  const found = (process.env['PATH'] ?? '').split(delimiter).flatMap(folder => {
    const node = join(folder, 'node')
    const version = existsSync(node) ? spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim() : ''
    return /^v(2\d|3\d)\./.test(version) ? [{ version, folder }] : []
  })
  return found.find(({ version }) => Number(version.slice(1).split('.')[0]) < 24)
}

const dependency = 'picocolors'

/** A command that says how it was started, waits for signals, or ends as it is told. */
const command = `
import { createRequire } from 'node:module'
import '${dependency}'

export async function main(args: readonly string[]): Promise<number> {
  const [what, value] = args
  if (what === 'end') return Number(value)
  if (what === 'die') process.kill(process.pid, value as NodeJS.Signals)
  if (what === 'up') {
    const signals: string[] = []
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => signals.push(name))
    console.log('ready')
    while (signals.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
    // Long enough for every copy of the signal to arrive.
    await new Promise(resolve => setTimeout(resolve, 500))
    console.log('ended by', signals.join(' and '))
    return 0
  }
  const { version } = createRequire(import.meta.url)('${dependency}/package.json')
  console.log(JSON.stringify({ node: process.version, args, dependency: version }))
  return 0
}
`

/** Makes one, with a Node to start with. Its dependencies are not installed. */
export function makeCopy(nodeFolder: string): Copy {
  const base = mkdtempSync(join(tmpdir(), 'aviary-copy-'))
  const folder = join(base, 'aviary')
  const home = join(base, 'home')
  for (const path of [join(folder, 'bin'), join(folder, 'src/cli'), home]) mkdirSync(path, { recursive: true })
  for (const file of ['run.mjs', 'bin/aviary', '.npmrc']) cpSync(join(root, file), join(folder, file))
  writeFileSync(join(folder, 'src/cli/main.ts'), command)
  const about = { name: 'copy', version: '1.0.0', type: 'module', scripts: { start: 'node run.mjs start' } }
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[`node_modules/${dependency}`]
  const dependencies = { [dependency]: locked.version }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...about, dependencies }))
  const packages = { '': { name: 'copy', version: '1.0.0', dependencies }, [`node_modules/${dependency}`]: { ...locked, dev: undefined } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ name: 'copy', version: '1.0.0', lockfileVersion: 3, packages }))

  // Not what npm tells those it runs, us among them: a newcomer's shell has none of it.
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^XDG_CACHE_HOME$/i.test(name)))
  const env = { ...inherited, HOME: home, PATH: [nodeFolder, inherited['PATH']].join(delimiter) }
  return {
    folder,
    home,
    start: (name, ...args) => start(name, args, folder, env),
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** Starts a command as the leader of a process group. */
export function start(name: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Started {
  const child = spawn(name, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise<Awaited<Started['ended']>>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  return {
    process: child,
    ended,
    async printed(text) {
      while (!stdout.includes(text)) {
        const over = await Promise.race([ended, sleep(25)])
        if (over !== undefined && !stdout.includes(text)) throw new Error(`it ended without printing "${text}":\n${stdout}${stderr}`)
      }
    },
    interrupt() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT')
    },
  }
}
