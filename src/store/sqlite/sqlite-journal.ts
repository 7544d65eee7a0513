import { statSync } from 'node:fs'
import type { Clock, Log } from '../../ports/index.ts'
import type { Change } from '../embedded/change.ts'
import { Fifo } from '../embedded/fifo.ts'
import type { Journal } from '../embedded/journal.ts'
import { StoreError } from '../errors.ts'
import type { Database } from './database.ts'
import { LogKeeper } from './log-keeper.ts'
import { RevisionLog } from './revision-log.ts'
import { rowOf } from './row.ts'
import { sqliteCode, sqliteCodeOf } from './sqlite-code.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** From so many changes on a commit is worth the way to another thread and back; below, waiting for the disk here is quicker, */
const worthHelp = 8
/** unless the disk took longer than this the last time, in milliseconds: then this thread has better things to do. */
const slowDisk = 2
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

/** As much of a helper as a journal needs. */
export type Helper = Pick<LogKeeper, 'ready' | 'ended' | 'idle' | 'do' | 'stop'>

/**
 * Changes as rows of a SQLite database in write-ahead mode: a flush is one transaction and one fsync. A few changes are written
 * here and now, many by a thread of their own. What nobody can ask for any more is removed by that thread in small transactions
 * between the flushes, and the space is used again.
 */
export class SqliteJournal implements Journal {
  readonly #file: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #onCommit: (commit: Commit) => void
  readonly #makeHelper: () => Helper
  readonly #revisions: RevisionLog
  /** Revisions whose rows can go, in the order in which they may. */
  readonly #superseded = new Fifo<number>()
  #compacted: number
  #helper: Helper | undefined
  /** The clearing away that was asked for last; it waits for those before it, and never rejects. */
  #clearing: Promise<void> = Promise.resolve()
  #clearingByItself = false
  /** How many superseded rows may wait; more after a failure, so that it is not tried again at once. */
  #patience = mostWaiting
  #alone = 0
  /** How long the last commit took, in milliseconds. */
  #lastCommit = 0
  #closed = false
  #broken: StoreError | undefined

  constructor(options: {
    readonly database: Database
    readonly writeAheadLog: WriteAheadLog
    readonly file: string
    readonly clock: Clock
    readonly log: Log
    /** What was left to clear away when the database was opened. */
    readonly superseded: readonly number[]
    readonly compacted: number
    readonly onCommit: (commit: Commit) => void
    /** Only tests need another than the real one. */
    readonly helper?: () => Helper
  }) {
    this.#file = options.file
    this.#clock = options.clock
    this.#log = options.log
    this.#onCommit = options.onCommit
    this.#makeHelper = options.helper ?? (() => new LogKeeper(options.file))
    this.#revisions = new RevisionLog(options.database, options.writeAheadLog)
    for (const revision of options.superseded) this.#superseded.push(revision)
    this.#compacted = options.compacted
    this.#clearIfMany()
  }

  get databaseBytes(): number {
    return sizeOf(this.#file)
  }

  get walBytes(): number {
    return sizeOf(`${this.#file}-wal`)
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
    const start = this.#clock.monotonic()
    const rows = changes.map(rowOf)
    const report = () => {
      this.#lastCommit = this.#clock.monotonic() - start
      this.#onCommit({ changes: rows.length, seconds: this.#lastCommit / 1000 })
    }
    if (!this.#mayWriteHere(rows.length)) {
      return this.#help.do({ append: rows }).then(report, (error: unknown) => {
        throw this.#refusal(error)
      })
    }
    try {
      this.#revisions.append(rows)
    } catch (error) {
      throw this.#refusal(error)
    }
    report()
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

  /** Removes all that can go, and gives the space back, now. Rejects with a StoreError if the disk refuses. */
  async compact(): Promise<void> {
    const earlier = this.#clearing
    const clearing = (async () => {
      await earlier
      await this.#clear(0, 0)
      if (this.#mayClear()) await this.#help.do({ checkpoint: true })
    })()
    this.#clearing = clearing.catch(() => {})
    try {
      await clearing
    } catch (error) {
      throw new StoreError('InternalError', 'the database could not be compacted: nothing is lost, and it can be tried again', {
        cause: error,
      })
    }
  }

  /** Does something that stands on this thread's connection alone: until it is done the helper rests. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    this.#alone++
    try {
      while (this.#helper?.idle === false) await new Promise<void>(resolve => this.#clock.soon(resolve))
      return await work()
    } finally {
      this.#alone--
      this.#clearIfMany()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#clearing
    await this.#helper?.stop()
    this.#revisions.close()
  }

  get #help(): Helper {
    if (this.#helper === undefined || this.#helper.ended) this.#helper = this.#makeHelper()
    return this.#helper
  }

  /** Two connections must not write at the same time: while the helper is at it, whatever comes goes the same way. */
  #mayWriteHere(changes: number): boolean {
    if (this.#helper?.idle === false) return false
    if (changes < worthHelp && this.#lastCommit < slowDisk) return true
    return this.#alone > 0 || !this.#help.ready
  }

  #clearIfMany(): void {
    if (this.#superseded.length <= this.#patience || this.#clearingByItself || !this.#mayClear()) return
    this.#clearingByItself = true
    const earlier = this.#clearing
    this.#clearing = (async () => {
      try {
        await earlier
        await this.#clear(mostWaiting / 2, freePagesKept)
        this.#patience = mostWaiting
      } catch (error) {
        // Nothing is lost by it, and the next write that fails will say so to somebody who can act.
        this.#patience = this.#superseded.length + mostWaiting
        this.#log.warn('superseded revisions could not be cleared away', { file: this.#file, error })
      } finally {
        this.#clearingByItself = false
      }
    })()
  }

  /** Removes superseded rows step by step until `rows` are left, then gives back free pages beyond `pages`. */
  async #clear(rows: number, pages: number): Promise<void> {
    while (this.#superseded.length > rows && this.#mayClear()) {
      const revisions = this.#superseded.peek(rowsInOneStep)
      await this.#help.do({ clear: revisions, compacted: this.#compacted })
      for (const _ of revisions) this.#superseded.shift()
    }
    while (this.#mayClear() && (await this.#help.do({ vacuum: pagesInOneStep, keep: pages })));
  }

  #mayClear(): boolean {
    return !this.#closed && this.#alone === 0 && this.#broken === undefined
  }

  #refusal(error: unknown): StoreError {
    if (sqliteCodeOf(error) === sqliteCode.full) {
      this.#log.error('the disk is full: writes are refused', { file: this.#file })
      return new StoreError('ServiceUnavailable', 'the disk of the data folder is full: nothing was written', {
        cause: error,
        retryAfterSeconds: 10,
        fix: `free space on the disk that holds ${this.#file}`,
      })
    }
    // After a failed fsync nobody knows what the disk holds. Reading goes on; writing again needs a start that looks.
    this.#broken = new StoreError('ServiceUnavailable', 'the disk of the data folder failed: writes are refused until the next start', {
      cause: error,
      fix: `look at the disk that holds ${this.#file}, then restart`,
    })
    this.#log.error('the disk failed: writes are refused until the next start', { file: this.#file, error })
    return this.#broken
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
