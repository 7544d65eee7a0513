import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { peersFolder } from './cache.ts'
import { Commands, type CommandOptions } from './commands.ts'
import { unmetNeed } from './needs.ts'
import { findPeer, type Peer } from './table.ts'

/** What a recipe works with while it makes a peer. */
export interface Workbench {
  /**
   * The release to build: what the table says, without what stands behind a plus. That counts the editions of what the recipe adds of
   * its own, so that a change of it is built anew.
   */
  readonly version: string
  /** Where the peer's files go. It becomes the cached folder when the recipe is done, and nothing of it stays when it fails. */
  readonly into: string
  /** Room for everything else; removed afterwards. */
  readonly scratch: string
  /** Runs a command and gives its output; rejects with the last lines if it fails. */
  run(command: string, args: readonly string[], options?: CommandOptions): Promise<string>
}

/** A script below recipes/. */
interface Recipe {
  build(bench: Workbench): Promise<void>
}

/** What came of setting a peer up: where its program is, or why there is none. */
export type SetUp =
  | { readonly outcome: 'ready'; readonly program: string; readonly folder: string }
  | { readonly outcome: 'unmet' | 'failed'; readonly reason: string }

const tries = 3
const ready = new Map<string, Promise<SetUp>>()

/** Makes sure that a peer of the table is there, once in a run. Says what takes time through `say`. */
export function setUpPeer(name: string, say: (line: string) => void = () => {}): Promise<SetUp> {
  let setUp = ready.get(name)
  if (setUp === undefined) {
    setUp = provide(findPeer(name), { cache: peersFolder(), pause: 2_000, say })
    ready.set(name, setUp)
  }
  return setUp
}

/** The path of a peer's program, set up if need be. */
export async function usePeer(name: string): Promise<string> {
  const setUp = await setUpPeer(name)
  if (setUp.outcome !== 'ready') throw new Error(`${name} cannot be used: ${setUp.reason}`)
  return setUp.program
}

/** Where to keep a peer, how long to wait before another try (longer each time), and whom to tell. */
export interface Circumstances {
  readonly cache: string
  readonly pause: number
  readonly say: (line: string) => void
  /** Why this machine cannot have a peer with these needs. Default: as it really is. */
  readonly unmet?: (needs: readonly string[]) => string | undefined
}

/** Takes a peer from the cache, else makes it by its recipe, which gets three tries. */
export async function provide(peer: Peer, { cache, pause, say, unmet = unmetNeed }: Circumstances): Promise<SetUp> {
  const folder = join(cache, `${peer.name}-${peer.version}`)
  const there: SetUp = { outcome: 'ready', program: join(folder, peer.program), folder }
  if (existsSync(there.program)) return there
  const lack = unmet(peer.needs)
  if (lack !== undefined) return { outcome: 'unmet', reason: lack }

  mkdirSync(cache, { recursive: true })
  const waiting = () => say(`${peer.name} ${peer.version}: waiting for another run that is setting it up`)
  return await holding(`${folder}.lock`, waiting, async () => {
    let reason = ''
    for (let count = 1; count <= tries; count++) {
      if (existsSync(there.program)) return there
      if (count > 1) await sleep(pause * count)
      say(`${peer.name} ${peer.version}: setting up, about ${peer.takes} the first time${count > 1 ? ` (try ${count} of ${tries})` : ''}`)
      try {
        await build(peer, folder)
        return there
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error)
      }
    }
    return { outcome: 'failed', reason: `set-up failed ${tries} times; the log is ${folder}.log; the last error: ${reason}` }
  })
}

/**
 * Builds beside the final place and renames, so that a folder with the peer's name is always complete. What lies around may be
 * gigabytes: it goes when the build is over, when a signal ends us, and, had we no chance to, before the next build.
 */
async function build(peer: Peer, folder: string): Promise<void> {
  const into = `${folder}.new`
  const scratch = `${folder}.scratch`
  const commands = new Commands(`${folder}.log`)
  const clean = () => {
    commands.kill()
    for (const left of [into, scratch]) rmSync(left, { recursive: true, force: true, maxRetries: 3 })
  }
  const onSignal = (signal: NodeJS.Signals) => {
    clean()
    for (const name of signals) process.off(name, onSignal)
    process.kill(process.pid, signal)
  }
  for (const name of signals) process.on(name, onSignal)
  try {
    clean()
    for (const made of [into, scratch]) mkdirSync(made)
    const recipe: Recipe = await import(new URL(peer.recipe, import.meta.url).href)
    await recipe.build({
      version: peer.version.replace(/\+.*/, ''),
      into,
      scratch,
      run: (command, args, options) => commands.run(command, args, options),
    })
    if (!existsSync(join(into, peer.program))) throw new Error(`${peer.recipe} left no ${peer.program}`)
    rmSync(folder, { recursive: true, force: true })
    renameSync(into, folder)
    commands.forget()
  } finally {
    clean()
    for (const name of signals) process.off(name, onSignal)
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Does something that one process at a time may do. The lock is SQLite's own on an empty database: the kernel frees it however its holder ends. */
async function holding<T>(file: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    for (let waited = false; !lock(database); waited = true) {
      if (!waited) onWait()
      await sleep(100)
    }
    return await work()
  } finally {
    database.close()
  }
}

function lock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && /locked|busy/i.test(error.message)) return false
    throw error
  }
}
