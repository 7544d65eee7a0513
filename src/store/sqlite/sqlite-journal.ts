import { statSync } from 'node:fs'
import type { Clock, Log } from '../../ports/index.ts'
import type { Change } from '../embedded/change.ts'
import { Fifo } from '../embedded/fifo.ts'
import type { Journal } from '../embedded/journal.ts'
import { closed, StoreError } from '../errors.ts'
import type { CommitLog } from './commits/commit-log.ts'
import { takeIn } from './commits/take-in.ts'
import type { Database } from './database.ts'
import { DatabaseKeeper, type KeeperRequest } from './database-keeper.ts'
import { RevisionLog } from './revision-log.ts'
import { rowOf } from './row.ts'
import { isDiskFull, isLocked, isOutOfFiles } from './sqlite-code.ts'

/** For fewer changes than this the disk is waited for here, which is quicker for a lone writer; for more there is else to do, */
const fewChanges = 8
/** and also if the disk usually takes longer than this, in milliseconds. */
const slowDisk = 5
/** Complete segments that may wait to be moved; then those who write wait, too. */
const mostSegments = 4
/** Rows removed in one transaction: a few milliseconds. */
const rowsInOneStep = 500
/** Superseded rows that may wait before they are cleared away. */
const mostWaiting = 2000
/** Free pages that the file may keep for later. */
const freePagesKept = 4096
const pagesInOneStep = 1024

/** What a journal tells about a commit, for metrics. */
export interface Commit {
  readonly changes: number
  readonly seconds: number
}

/** As much of a keeper as a journal needs. */
export type Keeper = Pick<DatabaseKeeper, 'ended' | 'do' | 'stop'>

/**
 * Changes on their way into a SQLite database: a flush is one record in a log, and then the disk is waited for. A thread of its own
 * moves what is in the log into the database, some thousand changes at a time, and keeps house there: what nobody can ask for any
 * more is removed, and the space is used again.
 */
export class SqliteJournal implements Journal {
  readonly #file: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #onCommit: (commit: Commit) => void
  readonly #makeKeeper: () => Keeper
  readonly #database: Database
  readonly #commits: CommitLog
  /** Revisions whose rows can go, in the order in which they may. */
  readonly #superseded = new Fifo<number>()
  #compacted: number
  /** The last revision that is in the database. */
  #moved: number
  #keeper: Keeper | undefined
  /** The housekeeping that was asked for last; it waits for what was asked for before, and never rejects. */
  #housekeeping: Promise<unknown> = Promise.resolve()
  /** What goes on beside and must end before this does; never rejects. */
  #besides: Promise<unknown> = Promise.resolve()
  /** Those who wait for room in the log. */
  #released: PromiseWithResolvers<void> | undefined
  #moving = false
  #clearing = false
  /** How many superseded rows may wait; more after a failure, so that it is not tried again at once. */
  #patience = mostWaiting
  /** How long the disk usually takes, in milliseconds. */
  #syncTime = 0
  #closed = false
  /** Whether the last write was refused, and the next one may not be. */
  #refusing = false
  /** How many segments waited when moving them failed last; 0 when it goes. */
  #stuckAt = 0
  #broken: StoreError | undefined

  constructor(options: {
    /** This thread's own connection, used when everything else has ended. */
    readonly database: Database
    readonly commits: CommitLog
    readonly file: string
    readonly clock: Clock
    readonly log: Log
    /** What was left to clear away when the database was opened. */
    readonly superseded: readonly number[]
    /** The last one in the database. */
    readonly revision: number
    readonly compacted: number
    readonly onCommit: (commit: Commit) => void
    /** Only tests need another than the real one. */
    readonly keeper?: () => Keeper
  }) {
    this.#file = options.file
    this.#clock = options.clock
    this.#log = options.log
    this.#onCommit = options.onCommit
    this.#makeKeeper = options.keeper ?? (() => new DatabaseKeeper(options.file))
    this.#database = options.database
    this.#commits = options.commits
    for (const revision of options.superseded) this.#superseded.push(revision)
    this.#moved = options.revision
    this.#compacted = options.compacted
    this.#clearIfMany()
  }

  get databaseBytes(): number {
    return sizeOf(this.#file)
  }

  /** Bytes beside the database: in our log what is still to be moved into it, and SQLite's file, which is written anew again and again. */
  get logBytes(): number {
    return this.#commits.bytes + sizeOf(`${this.#file}-wal`)
  }

  /** True if the disk failed: writes are refused until the next start. */
  get failed(): boolean {
    return this.#broken !== undefined
  }

  /** Rows that are still to be removed. */
  get superseded(): number {
    return this.#superseded.length
  }

  append(changes: readonly Change[]): Promise<void> | void {
    if (this.#broken !== undefined) throw this.#broken
    if (this.#commits.ended.length < mostSegments) return this.#append(changes)
    return this.#whenReleased().then(
      () => this.append(changes),
      (error: StoreError) => {
        throw this.#broken ?? this.#refused(error.cause)
      },
    )
  }

  forget(changes: readonly Change[], compacted: number): void {
    for (const { revision, previous, current } of changes) {
      // The state before goes before the mark of its removal, or a crash between the two would bring it back.
      if (previous !== undefined) this.#superseded.push(previous.revision)
      if (current === undefined) this.#superseded.push(revision)
    }
    this.#compacted = compacted
    this.#clearIfMany()
  }

  /** Resolves when everything that was acknowledged so far is in the database. */
  settle(): Promise<void> {
    return this.#inTurn(() => this.#moveAll())
  }

  /** Removes all that can go, and gives the space back. Rejects with a StoreError. */
  async compact(): Promise<void> {
    try {
      await this.#inTurn(async () => {
        await this.#moveAll()
        await this.#clear(0, 0)
        await this.#ask({ do: 'checkpoint' })
        if (!this.#mayKeepHouse()) throw this.#broken ?? closed()
      })
    } catch (error) {
      const message = 'the database could not be compacted: nothing is lost, and it can be tried again'
      throw new StoreError('InternalError', message, { cause: error })
    }
  }

  /** Does something for which the journal must be there until it is done; one after another. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#besides.then(work)
    this.#besides = done.catch(() => {})
    return done
  }

  async close(): Promise<void> {
    await this.#besides
    this.#closed = true
    await this.#housekeeping
    await this.#keeper?.stop()
    try {
      if (this.#broken === undefined) this.#moveRest()
      this.#commits.close()
    } finally {
      this.#database.close()
    }
  }

  #append(changes: readonly Change[]): Promise<void> | void {
    const start = this.#clock.monotonic()
    this.#write(changes)
    const written = this.#clock.monotonic()
    const report = () => {
      const end = this.#clock.monotonic()
      this.#syncTime += (end - written - this.#syncTime) / 16
      this.#taken()
      this.#onCommit({ changes: changes.length, seconds: (end - start) / 1000 })
      this.#moveIfMuch()
    }
    if (changes.length < fewChanges && this.#syncTime <= slowDisk) {
      this.#sync()
      return report()
    }
    return this.#commits.syncLater().then(report, (error: unknown) => {
      throw this.#breakdown(error)
    })
  }

  #write(changes: readonly Change[]): void {
    try {
      this.#commits.write(changes.map(rowOf))
    } catch (error) {
      throw mayPass(error) ? this.#refused(error) : this.#breakdown(error)
    }
  }

  /** Whatever the reason is that it fails for: what was written before it is there or not, and nobody knows. */
  #sync(): void {
    try {
      this.#commits.sync()
    } catch (error) {
      throw this.#breakdown(error)
    }
  }

  #moveIfMuch(): void {
    // What failed is tried again with the next segment, and when there is no room for another, so that those who write hear of it.
    if (this.#commits.ended.length <= this.#stuckAt || this.#moving || !this.#mayKeepHouse()) return
    this.#moving = true
    this.#inTurn(() => this.#moveEnded())
      .catch(() => {})
      .finally(() => (this.#moving = false))
  }

  /** Resolves as soon as a segment was moved, by whatever housekeeping comes to it first, and rejects if that fails. */
  #whenReleased(): Promise<void> {
    this.#released ??= Promise.withResolvers()
    const { promise } = this.#released
    this.#inTurn(() => this.#moveEnded()).catch(() => {})
    return promise
  }

  /** Moves all that is in the log, however little it is. */
  async #moveAll(): Promise<void> {
    // Only if those before it can be moved: of small ones, too, only a few may wait.
    await this.#moveEnded()
    this.#commits.end()
    await this.#moveEnded()
    if (this.#commits.ended.length > 0) throw this.#broken ?? closed()
  }

  async #moveEnded(): Promise<void> {
    while (this.#commits.ended.length > 0 && this.#mayKeepHouse()) {
      const { file, end, lastRevision } = this.#commits.ended[0]!
      try {
        await this.#ask({ do: 'take in', segment: file, end })
      } catch (error) {
        throw this.#notMoved(error)
      }
      this.#stuckAt = 0
      this.#moved = lastRevision
      this.#commits.release()
      this.#released?.resolve()
      this.#released = undefined
    }
  }

  #notMoved(error: unknown): StoreError {
    // A thread that ended gets a successor.
    if (!mayPass(error) && this.#keeper?.ended !== true) return this.#breakdown(error)
    if (this.#stuckAt === 0) {
      this.#log.warn('commits cannot be moved into the database for now; they are safe in the log beside it', { file: this.#file, error })
    }
    this.#stuckAt = this.#commits.ended.length
    return this.#turnAway(this.#unavailable(error))
  }

  /** Tells those who wait for room that there will be none for now. */
  #turnAway(refusal: StoreError): StoreError {
    this.#released?.reject(refusal)
    this.#released = undefined
    return refusal
  }

  /** The last of it, when nobody waits any more. */
  #moveRest(): void {
    this.#commits.end()
    try {
      const revisions = new RevisionLog(this.#database)
      while (this.#commits.ended.length > 0) {
        const { file, end } = this.#commits.ended[0]!
        takeIn(revisions, file, end)
        this.#commits.release()
      }
    } catch (error) {
      this.#log.warn('the last commits could not be moved into the database: the next start will', { file: this.#file, error })
    }
  }

  #clearIfMany(): void {
    if (this.#superseded.length <= this.#patience || this.#clearing || !this.#mayKeepHouse()) return
    this.#clearing = true
    this.#inTurn(() => this.#clear(mostWaiting / 2, freePagesKept))
      .then(
        () => (this.#patience = mostWaiting),
        (error: unknown) => {
          // Nothing is lost by it, and the next write that fails will say so to somebody who can act.
          this.#patience = this.#superseded.length + mostWaiting
          this.#log.warn('superseded revisions could not be cleared away', { file: this.#file, error })
        },
      )
      .finally(() => (this.#clearing = false))
  }

  /** Removes superseded rows step by step until `rows` are left, then gives back free pages beyond `pages`. */
  async #clear(rows: number, pages: number): Promise<void> {
    while (this.#superseded.length > rows && this.#mayKeepHouse()) {
      const revisions = this.#superseded.peek(rowsInOneStep)
      const compacted = this.#compacted
      // A database that is compacted beyond what it holds would take the commits in between for old ones.
      if (compacted > this.#moved) await this.#moveAll()
      await this.#ask({ do: 'clear', revisions, compacted })
      for (const _ of revisions) this.#superseded.shift()
      // Between the steps, so that nobody who writes waits for all of them.
      await this.#moveEnded()
    }
    while (await this.#ask({ do: 'vacuum', pages: pagesInOneStep, keep: pages })) await this.#moveEnded()
  }

  /** One piece of housekeeping after another. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#housekeeping.then(work)
    this.#housekeeping = done.catch(() => {})
    return done
  }

  /** Has the keeper do something; false if it may not. */
  async #ask(request: KeeperRequest): Promise<boolean> {
    if (!this.#mayKeepHouse()) return false
    if (this.#keeper === undefined || this.#keeper.ended) this.#keeper = this.#makeKeeper()
    return this.#keeper.do(request)
  }

  #mayKeepHouse(): boolean {
    return !this.#closed && this.#broken === undefined
  }

  #taken(): void {
    if (this.#refusing) this.#log.info('writes are taken again', { file: this.#file })
    this.#refusing = false
  }

  /** Refuses a write of which nothing is on the disk. */
  #refused(error: unknown): StoreError {
    // Told once: every controller and client tries again, and the log may well be on the same disk.
    if (!this.#refusing) this.#log.error(`${troubleOf(error)}: writes are refused`, { file: this.#file, error })
    this.#refusing = true
    return this.#unavailable(error)
  }

  #unavailable(error: unknown): StoreError {
    return new StoreError('ServiceUnavailable', `${troubleOf(error)}: nothing was written`, {
      cause: error,
      retryAfterSeconds: 10,
      fix: fixOf(error, this.#file),
    })
  }

  /** After a failed sync nobody knows what the disk holds. Reading goes on; writing again needs a start that looks. */
  #breakdown(error: unknown): StoreError {
    if (this.#broken !== undefined) return this.#broken
    this.#broken = new StoreError('ServiceUnavailable', 'the disk of the data folder failed: writes are refused until the next start', {
      cause: error,
      fix: `look at the disk that holds ${this.#file}, then restart`,
    })
    this.#log.error('the disk failed: writes are refused until the next start', { file: this.#file, error })
    return this.#turnAway(this.#broken)
  }
}

/** Whether what failed may go another time. */
function mayPass(error: unknown): boolean {
  return isDiskFull(error) || isOutOfFiles(error) || isLocked(error)
}

function troubleOf(error: unknown): string {
  if (isDiskFull(error)) return 'the disk of the data folder is full'
  if (isOutOfFiles(error)) return 'too many files are open'
  return isLocked(error) ? 'another program has locked the database' : 'the database does not take what was committed before'
}

function fixOf(error: unknown, file: string): string {
  if (isDiskFull(error)) return `free space on the disk that holds ${file}`
  if (isOutOfFiles(error)) return 'raise the limit of open files (ulimit -n), or see which program has so many'
  return isLocked(error) ? `end the program that has locked ${file}` : 'try again; look at the log if that does not help'
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
