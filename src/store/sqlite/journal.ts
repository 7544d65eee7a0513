import type { Clock, Log } from '../../ports/index.ts'
import type { Change } from '../embedded/change.ts'
import { Fifo } from '../embedded/fifo.ts'
import type { Journal } from '../embedded/journal.ts'
import { StoreError } from '../errors.ts'
import { backup } from './backup.ts'
import { isDiskFull, isLocked } from './errors.ts'
import { rowOf } from './rows.ts'
import type { DatabaseWorker } from './worker.ts'

/** Superseded rows that may wait until they are removed. */
const maxSuperseded = 1000
/** Rows that a commit removes at least, so that most commits remove none; each change supersedes at most two. */
const minRemoved = 64
/** For this many milliseconds the result of a write counts as the state of the store. */
const writableInterval = 5000

/** What a journal reports about a commit, for metrics. */
export interface CommitReport {
  readonly changes: number
  readonly seconds: number
}

/**
 * Sends changes to the database thread, one transaction for each flush, and removes rows that no list or watch can ask for any more
 * along with them. Decides what a failure means: a write that was refused may succeed later; after any other failure the state of the
 * disk is unknown, and writes are refused until the next start.
 */
export class SqliteJournal implements Journal {
  readonly #file: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #onCommit: (report: CommitReport) => void
  readonly #worker: Pick<DatabaseWorker, 'perform' | 'close'>
  /** Revisions whose rows can be removed, in this order. */
  readonly #superseded = new Fifo<number>()
  #compacted: number
  /** Why the last write was refused; the next one may succeed. */
  #refusal: StoreError | undefined
  #failure: StoreError | undefined
  /** When the last write succeeded or was refused. */
  #checkedAt = -Infinity
  #probing: Promise<void> | undefined
  /** The backup that was asked for last; it waits for those before it, and never rejects. */
  #backups: Promise<unknown> = Promise.resolve()

  constructor(options: {
    readonly worker: Pick<DatabaseWorker, 'perform' | 'close'>
    readonly file: string
    readonly clock: Clock
    readonly log: Log
    /** Rows that were left to remove when the database was opened. */
    readonly superseded: readonly number[]
    readonly compacted: number
    readonly onCommit: (report: CommitReport) => void
  }) {
    this.#worker = options.worker
    this.#file = options.file
    this.#clock = options.clock
    this.#log = options.log
    this.#onCommit = options.onCommit
    this.#compacted = options.compacted
    for (const revision of options.superseded) this.#superseded.push(revision)
  }

  /** Why writes are refused until the next start; undefined while they are not. */
  get failure(): StoreError | undefined {
    return this.#failure
  }

  /** Rows that are still to be removed. */
  get superseded(): number {
    return this.#superseded.length
  }

  async append(changes: readonly Change[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    const start = this.#clock.monotonic()
    const removed = this.#superseded.length > maxSuperseded ? this.#superseded.peek(Math.max(minRemoved, 2 * changes.length)) : []
    await this.#write({ do: 'commit', rows: changes.map(rowOf), removed, compacted: this.#compacted })
    for (const _ of removed) this.#superseded.shift()
    this.#onCommit({ changes: changes.length, seconds: (this.#clock.monotonic() - start) / 1000 })
    if (removed.length > 0) this.#vacuum()
  }

  forget(changes: readonly Change[], compacted: number): void {
    for (const { revision, previous, current } of changes) {
      // The state before goes before the mark of its removal, or a crash between the two would bring it back.
      if (previous !== undefined) this.#superseded.push(previous.revision)
      if (current === undefined) this.#superseded.push(revision)
    }
    this.#compacted = compacted
  }

  /** Rejects with a StoreError if writes are refused; asks the disk if no write has told in the last seconds. */
  async checkWritable(): Promise<void> {
    if (this.#failure === undefined && this.#clock.monotonic() - this.#checkedAt >= writableInterval) {
      this.#probing ??= this.#write({ do: 'probe' }).finally(() => (this.#probing = undefined))
      await this.#probing
    }
    const refusal = this.#failure ?? this.#refusal
    if (refusal !== undefined) throw refusal
  }

  /** Writes a backup while writes go on, one after another. Rejects with the errors of `backup.ts`. */
  backup(target: string): Promise<void> {
    const done = this.#backups.then(() => backup(this.#file, target, to => this.#worker.perform({ do: 'backup', to })))
    this.#backups = done.catch(() => {})
    return done
  }

  async close(): Promise<void> {
    await this.#backups
    try {
      await this.#worker.close()
    } catch (error) {
      this.#log.warn('the database was not closed cleanly; the next start recovers it', { file: this.#file, error })
    }
  }

  async #write(request: Parameters<DatabaseWorker['perform']>[0]): Promise<void> {
    try {
      await this.#worker.perform(request)
    } catch (error) {
      throw isTransient(error) ? this.#refuse(error) : this.#fail(error)
    }
    if (this.#refusal !== undefined) this.#log.info('writes are accepted again', { file: this.#file })
    this.#refusal = undefined
    this.#checkedAt = this.#clock.monotonic()
  }

  /** Nothing is lost if it fails, and a disk that is full or failing shows in the next commit. */
  #vacuum(): void {
    this.#worker.perform({ do: 'vacuum' }).catch((error: unknown) => {
      this.#log.warn('free space was not returned to the file system', { file: this.#file, error })
    })
  }

  /** Refuses a write of which nothing is on the disk. */
  #refuse(error: unknown): StoreError {
    const { problem, fix } = explain(error, this.#file)
    // Logged once: every controller and client retries, and the log may be on the same disk.
    if (this.#refusal === undefined) this.#log.error(`${problem}: writes are refused`, { file: this.#file, error })
    this.#checkedAt = this.#clock.monotonic()
    this.#refusal = new StoreError('ServiceUnavailable', `${problem}: nothing was written`, { cause: error, retryAfterSeconds: 10, fix })
    return this.#refusal
  }

  /** After a failed sync the content of the disk is unknown. Reads go on; writes need a start that looks. */
  #fail(error: unknown): StoreError {
    if (this.#failure !== undefined) return this.#failure
    this.#failure = new StoreError('ServiceUnavailable', 'the disk of the data folder failed: writes are refused until the next start', {
      cause: error,
      fix: `look at the disk that holds ${this.#file}, then restart`,
    })
    this.#log.error('the disk failed: writes are refused until the next start', { file: this.#file, error })
    return this.#failure
  }
}

/** Whether SQLite rolled the transaction back, and the next one may succeed. */
function isTransient(error: unknown): boolean {
  return isDiskFull(error) || isLocked(error)
}

function explain(error: unknown, file: string): { readonly problem: string; readonly fix: string } {
  if (isDiskFull(error)) return { problem: 'the disk of the data folder is full', fix: `free space on the disk that holds ${file}` }
  return { problem: 'another program has locked the database', fix: `end the program that has locked ${file}` }
}
