import { statSync } from 'node:fs'
import type { Clock, Log } from '../../ports/index.ts'
import type { Change } from '../embedded/change.ts'
import { Fifo } from '../embedded/fifo.ts'
import type { Journal } from '../embedded/journal.ts'
import { closed, StoreError } from '../errors.ts'
import type { Database } from './database.ts'
import { type KeeperRequest, LogKeeper } from './log-keeper.ts'
import { RevisionLog } from './revision-log.ts'
import { rowOf } from './row.ts'
import type { Row } from './sealed-row.ts'
import { sqliteCode, sqliteCodeOf } from './sqlite-code.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** For fewer changes than this the disk is waited for here, which is quicker for a lone writer; for more there is else to do, */
const fewChanges = 8
/** and also if the disk usually takes longer than this, in milliseconds. */
const slowDisk = 5
/** Bytes in the write-ahead log after which it is moved into the file. */
const longLog = 8 * 1024 * 1024
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
export type Keeper = Pick<LogKeeper, 'ended' | 'whenQuiet' | 'do' | 'stop'>

/**
 * Changes as rows of a SQLite database in write-ahead mode: a flush is one transaction, and then the disk is waited for. The
 * housekeeping is done by a thread of its own, between the flushes: what nobody can ask for any more is removed in small
 * transactions, the space is used again, and the log is moved into the file before it becomes long.
 */
export class SqliteJournal implements Journal {
  readonly #file: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #onCommit: (commit: Commit) => void
  readonly #makeKeeper: () => Keeper
  readonly #revisions: RevisionLog
  readonly #disk: WriteAheadLog
  /** Revisions whose rows can go, in the order in which they may. */
  readonly #superseded = new Fifo<number>()
  #compacted: number
  #keeper: Keeper | undefined
  /** The housekeeping that was asked for last; it waits for what was asked for before, and never rejects. */
  #housekeeping: Promise<unknown> = Promise.resolve()
  #clearing = false
  /** How many superseded rows may wait; more after a failure, so that it is not tried again at once. */
  #patience = mostWaiting
  #logBytes = 0
  /** How long the disk usually takes, in milliseconds. */
  #syncTime = 0
  /** How many work alone or wait for it: the log may grow meanwhile. */
  #alone = 0
  #closed = false
  /** Whether the last write found the disk full. */
  #full = false
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
    readonly keeper?: () => Keeper
  }) {
    this.#file = options.file
    this.#clock = options.clock
    this.#log = options.log
    this.#onCommit = options.onCommit
    this.#makeKeeper = options.keeper ?? (() => new LogKeeper(options.file))
    this.#revisions = new RevisionLog(options.database)
    this.#disk = options.writeAheadLog
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
    // Two connections must not write at the same time.
    const quiet = this.#keeper?.whenQuiet()
    return quiet === undefined ? this.#append(changes) : quiet.then(() => this.#append(changes))
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

  /** Removes all that can go, and gives the space back, as soon as nobody works alone. Rejects with a StoreError. */
  async compact(): Promise<void> {
    try {
      await this.#inTurn(async () => {
        await this.#clear(0, 0)
        await this.#ask({ checkpoint: 'TRUNCATE' })
        if (!this.#mayKeepHouse()) throw this.#broken ?? closed()
      })
    } catch (error) {
      const message = 'the database could not be compacted: nothing is lost, and it can be tried again'
      throw new StoreError('InternalError', message, { cause: error })
    }
  }

  /** Does something that stands on this thread's connection alone: until it is done the keeper rests. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    this.#alone++
    try {
      return await this.#inTurn(work)
    } finally {
      this.#alone--
      this.#clearIfMany()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#housekeeping
    await this.#keeper?.stop()
    this.#disk.close()
    this.#revisions.close()
  }

  #append(changes: readonly Change[]): Promise<void> | void {
    if (this.#broken !== undefined) throw this.#broken
    const start = this.#clock.monotonic()
    const rows = changes.map(rowOf)
    try {
      this.#revisions.append(rows)
      const written = this.#clock.monotonic()
      const report = () => {
        const end = this.#clock.monotonic()
        this.#syncTime += (end - written - this.#syncTime) / 16
        this.#hasRoom()
        this.#onCommit({ changes: rows.length, seconds: (end - start) / 1000 })
        this.#logBytes += bytesInLog(rows)
        this.#shortenIfLong()
      }
      if (rows.length >= fewChanges || this.#syncTime > slowDisk) {
        return this.#disk.syncLater().then(report, (error: unknown) => {
          throw this.#refusal(error)
        })
      }
      this.#disk.sync()
      report()
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  /** Moves the log into the file: most of it beside those who write, and only what they added meanwhile in their place. */
  #shortenIfLong(): void {
    if (this.#logBytes < longLog || !this.#mayKeepHouse() || this.#alone > 0) return
    this.#logBytes = 0
    this.#inTurn(async () => {
      await this.#ask({ checkpoint: 'PASSIVE' })
      await this.#ask({ checkpoint: 'RESTART' })
    }).catch((error: unknown) => this.#log.warn('the log could not be moved into the database file', { file: this.#file, error }))
  }

  #clearIfMany(): void {
    if (this.#superseded.length <= this.#patience || this.#clearing || !this.#mayKeepHouse() || this.#alone > 0) return
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
      await this.#ask({ clear: revisions, compacted: this.#compacted })
      for (const _ of revisions) this.#superseded.shift()
    }
    while (await this.#ask({ vacuum: pagesInOneStep, keep: pages }));
  }

  /** One piece of housekeeping after another, and none beside whoever works alone. */
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

  #hasRoom(): void {
    if (this.#full) this.#log.info('the disk has room again: writes are taken', { file: this.#file })
    this.#full = false
  }

  #refusal(error: unknown): StoreError {
    if (error instanceof StoreError) return error
    if (sqliteCodeOf(error) === sqliteCode.full) {
      // Told once: every controller and client tries again, and the log may well be on the same disk.
      if (!this.#full) this.#log.error('the disk is full: writes are refused', { file: this.#file })
      this.#full = true
      return new StoreError('ServiceUnavailable', 'the disk of the data folder is full: nothing was written', {
        retryAfterSeconds: 10,
        fix: `free space on the disk that holds ${this.#file}`,
      })
    }
    // After a failed sync nobody knows what the disk holds. Reading goes on; writing again needs a start that looks.
    this.#broken = new StoreError('ServiceUnavailable', 'the disk of the data folder failed: writes are refused until the next start', {
      cause: error,
      fix: `look at the disk that holds ${this.#file}, then restart`,
    })
    this.#log.error('the disk failed: writes are refused until the next start', { file: this.#file, error })
    return this.#broken
  }
}

/** About as much as rows take in the write-ahead log, which holds whole pages: their own and some around them. */
function bytesInLog(rows: readonly Row[]): number {
  const own = rows.reduce((sum, [, kind, key, , traits, body]) => sum + kind.length + key.length + traits.length + body.length, 0)
  return own * 1.3 + 2 * 8192
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
