import { existsSync, statSync } from 'node:fs'
import type { Log } from '../../ports/index.ts'
import { Failure } from '../../ports/index.ts'
import { connect, scalar, type SqliteDatabase, transaction } from './database.ts'
import { DatabaseDamaged, DatabaseForeign, DatabaseTooNew, FolderFull, FolderInUse, FolderNotWritable } from './errors.ts'
import { applicationId, readHeader } from './file-header.ts'
import { createDatabase, firstFormat, formatOf, type Migration, migrate } from './format.ts'
import { startAfresh } from './load.ts'
import { sqliteCode, sqliteCodeOf } from './sqlite-code.ts'
import { putAside } from './put-aside.ts'

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
 * Opens the database of a store, after making it if there is none and migrating it if it is of an older format. Whatever is
 * found to be wrong is found before anything is changed. Throws one of the errors of this folder.
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
      bringUpToDate(database, options, known)
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
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  switch (header.state) {
    case 'missing':
      if (log > 0) throw DatabaseDamaged({ file, why: `the file is gone, but its log ${file}-wal is there` })
      return
    case 'empty':
      throw DatabaseDamaged({ file, why: 'it is empty' })
    case 'garbage':
      throw DatabaseDamaged({ file, why: 'it is not a SQLite database' })
    case 'database':
      if (header.applicationId !== applicationId) throw DatabaseForeign({ file })
      if (header.format > known) throw DatabaseTooNew({ file, format: header.format, known })
      // A backup put in the place of a store, beside whose log it does not belong.
      if (!header.writeAhead && log > 0) throw DatabaseDamaged({ file, why: `the log ${file}-wal belongs to another database; remove it` })
  }
}

function bringUpToDate(database: SqliteDatabase, { file, migrations, log }: DatabaseOptions, known: number): void {
  const format = formatOf(database)
  if (format > known) throw DatabaseTooNew({ file, format, known })
  if (format === known) return
  const copy = `${file}.format-${format}`
  putAside(database, copy)
  log.info('the database is of an older format and is migrated', { file, from: format, to: known, copy })
  migrate(database, migrations)
}

/** Tells SQLite's errors in words that say what to do. */
export function explained<T>({ folder, file }: Pick<DatabaseOptions, 'folder' | 'file'>, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Failure) throw error
    const why = error instanceof Error ? error.message : String(error)
    switch (sqliteCodeOf(error) ?? (error as { code?: unknown }).code) {
      case sqliteCode.busy:
        throw FolderInUse({ folder, owner: `another process, which has ${file} open` }, { cause: error })
      case sqliteCode.full:
      case 'ENOSPC':
        throw FolderFull({ folder }, { cause: error })
      case sqliteCode.readOnly:
      case sqliteCode.cannotOpen:
      case 'EACCES':
      case 'EPERM':
      case 'EROFS':
        throw FolderNotWritable({ folder, why }, { cause: error })
      default:
        throw DatabaseDamaged({ file, why }, { cause: error })
    }
  }
}
