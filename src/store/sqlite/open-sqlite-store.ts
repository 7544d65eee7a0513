import { join } from 'node:path'
import type { Chance, Clock, Log, Metrics } from '../../ports/index.ts'
import type { Kind } from '../../kinds/index.ts'
import { defaultWindow } from '../embedded/history.ts'
import { State } from '../embedded/state.ts'
import { CommitLog } from './commits/commit-log.ts'
import { fillDefaults } from './fill-defaults.ts'
import { lockFolder } from './folder-lock.ts'
import { migrations as allMigrations, type Migration } from './format.ts'
import { load } from './load.ts'
import { explained, openDatabase } from './open-database.ts'
import { type Commit, SqliteJournal } from './sqlite-journal.ts'
import { SqliteStore } from './sqlite-store.ts'
import { storeFiles } from './store-files.ts'
import { storeMetrics } from './store-metrics.ts'

/** What a store in a SQLite file needs. */
export interface SqliteStoreOptions {
  /** The data folder; it is made if it is missing. The database in it is `aviary.db`. */
  readonly folder: string
  readonly kinds: readonly Kind[]
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly metrics?: Metrics
  /** Only for tests of the way from old formats to new ones. */
  readonly migrations?: readonly Migration[]
}

/**
 * Opens the embedded store in a data folder, which then belongs to this process. Rejects with FolderInUse, FolderNotWritable,
 * FolderFull, DatabaseDamaged, DatabaseUnreadable, DatabaseForeign, DatabaseTooNew or DatabaseNotMigrated; each names the file and
 * the way out, and leaves it as it was.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { folder, kinds, clock, chance, log, metrics, migrations = allMigrations } = options
  const file = join(folder, storeFiles.database)
  const lock = lockFolder(folder)
  try {
    const database = openDatabase({ folder, file, installation: () => chance.uuid(), migrations, log })
    try {
      const state = new State(kinds, defaultWindow)
      const started = clock.monotonic()
      const { installation, superseded } = explained({ folder, file }, () => {
        fillDefaults(database, kinds)
        return load(database, file, state, started, defaultWindow.fewest)
      })
      reportStrangers(state, log)
      log.debug('the store is open', { file, revision: state.revision, milliseconds: clock.monotonic() - started })

      let onCommit: (commit: Commit) => void = () => {}
      const journal = new SqliteJournal({
        database,
        commits: new CommitLog({ database: file, installation }),
        file,
        clock,
        log,
        superseded,
        revision: state.revision,
        compacted: state.compacted,
        onCommit: commit => onCommit(commit),
      })
      const schedule = (flush: () => void) => clock.soon(flush)
      const store = new SqliteStore({ state, clock, chance, journal, schedule, file, lock, installation })
      if (metrics !== undefined) onCommit = storeMetrics(metrics, () => store.stats())
      return store
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Objects of kinds that this program does not know are kept, but somebody should hear of them. */
function reportStrangers(state: State, log: Log): void {
  for (const [kind, { kind: known, size }] of state.collections) {
    if (known === undefined && size > 0)
      log.warn('the store holds objects of a kind that this program does not know', { kind, objects: size })
  }
}
