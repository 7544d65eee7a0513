import { existsSync, statSync } from 'node:fs'
import type { Log } from '../../ports/index.ts'
import { segmentFiles } from './commits/segment-files.ts'
import { takeInLeftOver } from './commits/left-over.ts'
import { connect, scalar, type SqliteDatabase, transaction } from './database.ts'
import { DatabaseDamaged, DatabaseForeign, DatabaseNotMigrated, DatabaseTooNew } from './errors.ts'
import { explanationOf } from './explanation.ts'
import { applicationId, readHeader } from './file-header.ts'
import { createDatabase, firstFormat, formatOf, type Migration, migrate } from './format.ts'
import { startAfresh } from './load.ts'
import { putAside } from './put-aside.ts'
import { RevisionLog } from './revision-log.ts'

/** Where the database is, and what to do if it is new or old. */
export interface DatabaseOptions {
  readonly folder: string
  readonly file: string
  /** The identity of a new installation. */
  readonly installation: () => string
  readonly migrations: readonly Migration[]
  readonly log: Log
}

/**
 * Opens the database of a store, after making it if there is none, moving commits into it that an earlier process had no time to
 * move, and migrating it if it is of an older format. What is not a database of ours is not changed. Throws one of the errors of this
 * folder, and a defect as it is.
 */
export function openDatabase(options: DatabaseOptions): SqliteDatabase {
  const { file, migrations } = options
  const known = migrations.at(-1)?.to ?? firstFormat
  return explained(options, () => {
    checkFile(file, known)
    if (!existsSync(file)) createDatabase(file, options.installation())
    const database = connect(file)
    try {
      if (scalar(database, 'PRAGMA application_id') !== applicationId) throw DatabaseForeign({ file })
      const format = formatOf(database)
      if (format > known) throw DatabaseTooNew({ file, format, known })
      // Before migrating: the rows in them are as those in the table.
      takeInLeftOver(new RevisionLog(database), file, String(scalar(database, "SELECT value FROM meta WHERE name = 'installation'")))
      if (format < known) bringUpToDate(database, options, format, known)
      const restored = transaction(database, () => startAfresh(database))
      if (restored) options.log.info('this store was restored from a backup; everybody who watches lists again', { file })
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** Judges the file before SQLite, which would start to recover it, gets to see it. */
function checkFile(file: string, known: number): void {
  const header = readHeader(file)
  const log = logBeside(file)
  switch (header.state) {
    case 'missing':
      if (log !== undefined) throw DatabaseDamaged({ file, why: `the file is gone, but its log ${log} is there` })
      return
    case 'empty':
      throw DatabaseDamaged({ file, why: 'it is empty' })
    case 'garbage':
      throw DatabaseDamaged({ file, why: 'it is not a SQLite database' })
    case 'database':
      if (header.applicationId !== applicationId) throw DatabaseForeign({ file })
      if (header.format > known) throw DatabaseTooNew({ file, format: header.format, known })
      // A backup put in the place of a store, beside whose log it does not belong.
      if (!header.writeAhead && log !== undefined) {
        const why = `the log ${log} beside it belongs to another database; move both away, for that log may hold what was written last`
        throw DatabaseDamaged({ file, why })
      }
  }
}

/** A file that holds what was written last, SQLite's or ours. */
function logBeside(file: string): string | undefined {
  const [segment] = segmentFiles(file)
  const writeAhead = `${file}-wal`
  return (statSync(writeAhead, { throwIfNoEntry: false })?.size ?? 0) > 0 ? writeAhead : segment
}

function bringUpToDate(database: SqliteDatabase, options: DatabaseOptions, format: number, known: number): void {
  const { file, migrations, log } = options
  const copy = `${file}.format-${format}`
  putAside(database, copy)
  log.info('the database is of an older format and is migrated', { file, from: format, to: known, copy })
  try {
    migrate(database, migrations)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw explanationOf(error, options) ?? DatabaseNotMigrated({ file, to: known, copy, why }, { cause: error })
  }
}

/** Tells the troubles of SQLite and of the disk in words that say what to do. */
export function explained<T>(place: Pick<DatabaseOptions, 'folder' | 'file'>, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explanationOf(error, place) ?? error
  }
}
