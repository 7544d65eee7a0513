import { EmbeddedStore, type EmbeddedStoreParts } from '../embedded/embedded-store.ts'
import { backup } from './backup.ts'
import type { FolderLock } from './folder-lock.ts'
import type { SqliteJournal } from './sqlite-journal.ts'

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
  /** In the logs beside the database. */
  readonly logBytes: number
  /** Rows that nobody needs any more and that are still to be removed. */
  readonly supersededRows: number
  /** True if the disk failed: writes are refused until the next start. */
  readonly failed: boolean
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
   * put it as `aviary.db` into an empty data folder. Rejects with BackupNotWritten or FolderFileTaken.
   */
  async backup(file: string): Promise<void> {
    this.checkOpen()
    const { journal, file: source } = this.#parts
    await journal.beside(() => backup(source, file, () => journal.settle()))
  }

  /** Forgets the past: removes every revision but the present one of each object, and gives the space back to the file system. */
  async compact(): Promise<void> {
    this.checkOpen()
    const { state, journal, clock } = this.#parts
    const dropped = state.trim(clock.monotonic(), state.revision)
    journal.forget(dropped, state.compacted)
    await journal.compact()
  }

  /** Numbers for metrics and for people. */
  stats(): StoreStats {
    const { state, journal } = this.#parts
    return {
      revision: state.revision,
      compacted: state.compacted,
      historyLength: state.history.length,
      historyBytes: state.history.bytes,
      watches: this.watches,
      objects: Object.fromEntries([...state.collections].map(([name, { size }]) => [name, size])),
      databaseBytes: journal.databaseBytes,
      logBytes: journal.logBytes,
      supersededRows: journal.superseded,
      failed: journal.failed,
    }
  }

  override async close(): Promise<void> {
    await super.close()
    this.#parts.lock.release()
  }
}

/** What a store in a SQLite file is made of. */
export interface SqliteStoreParts extends EmbeddedStoreParts {
  readonly journal: SqliteJournal
  readonly file: string
  readonly lock: FolderLock
  readonly installation: string
}
