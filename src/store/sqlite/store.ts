import { EmbeddedStore, type EmbeddedStoreParts } from '../embedded/embedded-store.ts'
import { sizeOf } from './files.ts'
import type { SqliteJournal } from './journal.ts'
import type { FolderLock } from './lock.ts'

/** How a store is doing. */
export interface StoreStats {
  readonly revision: number
  /** Watches and snapshots reach back to this revision. */
  readonly compacted: number
  /** Changes in memory for them. */
  readonly historyLength: number
  readonly historyBytes: number
  readonly watches: number
  /** By kind: `nests.demo.aviary.dev`. */
  readonly objects: Readonly<Record<string, number>>
  readonly databaseBytes: number
  /** In SQLite's write-ahead log. */
  readonly logBytes: number
  /** Rows that no list or watch needs any more and that are still to be removed. */
  readonly supersededRows: number
  /** True if the disk failed: writes are refused until the next start. */
  readonly failed: boolean
}

/** What a store in a SQLite file is made of. */
export interface SqliteStoreParts extends EmbeddedStoreParts {
  readonly journal: SqliteJournal
  readonly file: string
  readonly lock: FolderLock
  readonly installation: string
}

/** The store in a SQLite file: durable, for one process at a time. Made by `openSqliteStore`. */
export class SqliteStore extends EmbeddedStore {
  /** The identity of this installation, the same for as long as its data folder lives. */
  readonly installation: string
  readonly #parts: SqliteStoreParts

  constructor(parts: SqliteStoreParts) {
    super(parts)
    this.installation = parts.installation
    this.#parts = parts
  }

  /**
   * Writes a copy of everything to a file, while the store goes on working; the file appears when it is complete. To restore,
   * put it as `aviary.db` into an empty data folder. Rejects with BackupNotWritten, FolderFileTaken or BackupTargetNotBackup.
   */
  async backup(target: string): Promise<void> {
    this.checkOpen()
    await this.#parts.journal.backup(target)
  }

  /** Rejects with a StoreError while writes are refused: the disk is full, the database is locked, or the disk failed. */
  async checkWritable(): Promise<void> {
    this.checkOpen()
    await this.#parts.journal.checkWritable()
  }

  /** Throws a StoreError if the disk failed: writes are refused until the next start. */
  checkNotFailed(): void {
    const { failure } = this.#parts.journal
    if (failure !== undefined) throw failure
  }

  /** Numbers for metrics and for people. */
  stats(): StoreStats {
    const { state, journal, file } = this.#parts
    return {
      revision: state.revision,
      compacted: state.compacted,
      historyLength: state.history.length,
      historyBytes: state.history.bytes,
      watches: this.watches,
      objects: Object.fromEntries([...state.collections].map(([name, { size }]) => [name, size])),
      databaseBytes: sizeOf(file),
      logBytes: sizeOf(`${file}-wal`),
      supersededRows: journal.superseded,
      failed: journal.failure !== undefined,
    }
  }

  override async close(): Promise<void> {
    await super.close()
    this.#parts.lock.release()
  }
}
