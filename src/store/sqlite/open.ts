import { existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Chance, Clock, Log, Metrics } from '../../ports/index.ts'
import type { Kind } from '../../kinds/index.ts'
import { defaultWindow, type HistoryWindow } from '../embedded/history.ts'
import { State } from '../embedded/state.ts'
import { acknowledgedRevision } from './acknowledged.ts'
import { copyDatabase } from './copy.ts'
import { connect, scalar, SqliteDatabase } from './database.ts'
import {
  DatabaseBehind,
  DatabaseDamaged,
  DatabaseForeign,
  DatabaseMissing,
  DatabaseNotMigrated,
  DatabaseTooNew,
  explanationOf,
} from './errors.ts'
import { applicationId, commitRename, namesIn, readHeader, sizeOf, storeFiles } from './files.ts'
import { type CommitReport, SqliteJournal } from './journal.ts'
import { isRestored, load, startAfresh } from './load.ts'
import { lockFolder } from './lock.ts'
import { installationOf, newestRevision } from './log.ts'
import { storeMetrics } from './metrics.ts'
import { oldSegments, replayOldSegments } from './old-commit-log.ts'
import {
  createDatabase,
  fillDefaults,
  firstFormat,
  formatOf,
  migrate,
  migrations as allMigrations,
  type Migration,
  problemOfTables,
} from './schema.ts'
import { SqliteStore } from './store.ts'
import { DatabaseWorker } from './worker.ts'

/** What a store in a SQLite file needs. */
export interface SqliteStoreOptions {
  /** The data folder; it is made if it is missing. The database in it is `aviary.db`. */
  readonly folder: string
  readonly kinds: readonly Kind[]
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly metrics?: Metrics
  /** Names of files and folders in the data folder that others make once the store is open: they show that it was used before. */
  readonly traces?: readonly string[]
  /** How far back watches and snapshots reach. */
  readonly window?: HistoryWindow
  /** Only for tests of the way from old formats to new ones. */
  readonly migrations?: readonly Migration[]
}

/**
 * Opens the embedded store in a data folder, which then belongs to this process. Rejects with FolderInUse, FolderNotWritable,
 * FolderFull, or one of the Database errors; each names the file and the fix, and leaves the file as it was.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { folder, kinds, clock, chance, log, metrics, window = defaultWindow } = options
  const file = join(folder, storeFiles.database)
  const lock = lockFolder(folder)
  try {
    const started = clock.monotonic()
    const state = new State(kinds, window)
    const { installation, superseded } = await openAndLoad({ ...options, file }, state)
    reportUnknownKinds(state, log)
    log.debug('store opened', { file, revision: state.revision, milliseconds: clock.monotonic() - started })

    const worker = new DatabaseWorker(file)
    await worker.perform({ do: 'connect' })
    let onCommit: (report: CommitReport) => void = () => {}
    const journal = new SqliteJournal({
      worker,
      file,
      clock,
      log,
      superseded,
      compacted: state.compacted,
      onCommit: report => onCommit(report),
    })
    const schedule = (flush: () => void) => clock.soon(flush)
    const store = new SqliteStore({ state, clock, chance, journal, schedule, file, lock, installation })
    if (metrics !== undefined) onCommit = storeMetrics(metrics, () => store.stats())
    return store
  } catch (error) {
    lock.release()
    throw explanationOf(error, { folder, file }) ?? error
  }
}

interface OpeningOptions extends SqliteStoreOptions {
  readonly file: string
}

/** Reads the database into memory. The connection is closed then: the database thread opens the only one. */
async function openAndLoad(options: OpeningOptions, state: State): Promise<ReturnType<typeof load>> {
  const { file, kinds, clock, window = defaultWindow } = options
  const database = await openDatabase(options)
  try {
    fillDefaults(database, kinds)
    return load(database, file, state, clock.monotonic(), window.fewest)
  } finally {
    database.close()
  }
}

/**
 * Opens the database, after making it if there is none, replaying the commit log of an earlier version, and migrating it from an older
 * format. Anything that is not a sound database of ours is refused before it is changed.
 */
async function openDatabase(options: OpeningOptions): Promise<SqliteDatabase> {
  const { folder, file, migrations = allMigrations, log } = options
  const known = migrations.at(-1)?.to ?? firstFormat
  const confirm = join(folder, storeFiles.acceptLoss)
  const lossAccepted = existsSync(confirm)
  checkFile(options, known, lossAccepted)
  if (!existsSync(file)) createDatabase(file, options.chance.uuid())
  const acknowledged = inspect(file, known, lossAccepted ? undefined : confirm)
  const database = connect(file)
  try {
    replayOldSegments(database, file)
    if (formatOf(database) < known) await bringUpToDate(database, options, migrations)
    const revision = newestRevision(database)!
    if (isRestored(database) || acknowledged > revision) {
      startAfresh(database, Math.max(revision, acknowledged))
      log.info('the store continues from an earlier state; all clients list again', { file, revision, acknowledged })
    }
    if (lossAccepted) {
      rmSync(confirm)
      log.warn('data loss was accepted by the file accept-data-loss, which is removed now', { file })
    }
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Judges the file before SQLite, which would start to recover it, gets to see it. */
function checkFile({ folder, file, traces = [] }: OpeningOptions, known: number, lossAccepted: boolean): void {
  const header = readHeader(file)
  const log = logBeside(file)
  switch (header.state) {
    case 'missing': {
      if (log !== undefined) throw DatabaseDamaged({ file, why: `the file is gone, but its log ${log} is there` })
      const found = namesIn(folder).filter(name => traces.includes(name) || isRemnant(name))
      if (found.length > 0 && !lossAccepted) {
        throw DatabaseMissing({ file, found: found.join(', '), confirm: join(folder, storeFiles.acceptLoss) })
      }
      return
    }
    case 'empty':
      throw DatabaseDamaged({ file, why: 'it is empty' })
    case 'garbage':
      throw DatabaseDamaged({ file, why: 'it is not a SQLite database' })
    case 'database':
      if (header.applicationId !== applicationId) throw DatabaseForeign({ file })
      checkFormat(file, header.format, known)
      // A backup put in the place of a store, beside whose log it does not belong.
      if (!header.writeAhead && log !== undefined) {
        const why = `the log ${log} beside it belongs to another database; move both away, for that log may hold what was written last`
        throw DatabaseDamaged({ file, why })
      }
  }
}

function checkFormat(file: string, format: number, known: number): void {
  if (format < firstFormat) throw DatabaseDamaged({ file, why: `its format (PRAGMA user_version) is ${format}, which no version writes` })
  if (format > known) throw DatabaseTooNew({ file, format, known })
}

/** Whether a file can only come from a database that was here: not one that was about to be made. */
function isRemnant(name: string): boolean {
  return name.startsWith(storeFiles.database) && !name.startsWith(`${storeFiles.database}.new`) && !name.includes('.unfinished')
}

/** A file that holds what was written last, SQLite's or an earlier version's. */
function logBeside(file: string): string | undefined {
  const writeAhead = `${file}-wal`
  return sizeOf(writeAhead) > 0 ? writeAhead : oldSegments(file)[0]
}

/**
 * Checks the content, without changing it: a connection that can write would, when it is closed, checkpoint and remove a damaged log.
 * Returns the newest acknowledged revision. Without `confirm` a database that is behind it passes.
 */
function inspect(file: string, known: number, confirm: string | undefined): number {
  // Without a log there is nothing to checkpoint, and a connection that only reads would leave an empty one.
  const database = new SqliteDatabase(file, { waitForLock: 5000, readOnly: sizeOf(`${file}-wal`) > 0 })
  try {
    if (scalar(database, 'PRAGMA application_id') !== applicationId) throw DatabaseForeign({ file })
    const format = formatOf(database)
    checkFormat(file, format, known)
    const problem = format === known ? problemOfTables(database) : undefined
    if (problem !== undefined) throw DatabaseDamaged({ file, why: problem })
    const revision = newestRevision(database)
    const installation = installationOf(database)
    if (revision === undefined || installation === undefined) throw DatabaseDamaged({ file, why: 'its table meta is incomplete' })
    const acknowledged = acknowledgedRevision(file, installation) ?? 0
    const mayBeBehind = isRestored(database) || oldSegments(file).length > 0
    if (acknowledged > revision && !mayBeBehind && confirm !== undefined) throw DatabaseBehind({ file, revision, acknowledged, confirm })
    return acknowledged
  } finally {
    database.close()
  }
}

/** Migrates a database after copying it, so that the version before can be used again. */
async function bringUpToDate(database: SqliteDatabase, options: OpeningOptions, migrations: readonly Migration[]): Promise<void> {
  const { file, log } = options
  const from = formatOf(database)
  const to = migrations.at(-1)!.to
  const copy = `${file}.format-${from}`
  await copyDatabase(database, `${copy}.unfinished`)
  commitRename(`${copy}.unfinished`, copy)
  log.info('migrating the database to a newer format', { file, from, to, copy: basename(copy) })
  try {
    migrate(database, migrations)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw explanationOf(error, options) ?? DatabaseNotMigrated({ file, to, copy, why }, { cause: error })
  }
}

/** Objects of kinds that this program does not know are kept, and reported. */
function reportUnknownKinds(state: State, log: Log): void {
  for (const [kind, { kind: known, size }] of state.collections) {
    if (known === undefined && size > 0) log.warn('the store holds objects of an unknown kind', { kind, objects: size })
  }
}
