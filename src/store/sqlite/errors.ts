import { Failure, failure } from '../../ports/index.ts'

/** Another process has the data folder. Nothing in it was touched. */
export const FolderInUse = failure('STORE_FOLDER_IN_USE', ({ folder, owner }: { folder: string; owner: string }) => ({
  message: `data folder ${folder} is in use by ${owner}`,
  fix: 'stop that process, or use another data folder',
}))

/** The data folder cannot be made or written to, so that nothing could be kept. Nothing was changed. */
export const FolderNotWritable = failure('STORE_FOLDER_NOT_WRITABLE', ({ folder, why }: { folder: string; why: string }) => ({
  message: `cannot write to data folder ${folder}: ${why}`,
  fix: 'give the user of this process the right to write there, or use another data folder',
}))

/** A backup was to take the place of a file in which a store lives. Nothing was touched. */
export const FolderFileTaken = failure('STORE_FOLDER_FILE_TAKEN', ({ file }: { file: string }) => ({
  message: `${file} is where a store keeps its data: a backup there would replace it`,
  fix: 'choose another file, best on another disk',
}))

/** A backup was to replace a file that is not a backup. Nothing was written. */
export const BackupTargetNotBackup = failure('STORE_BACKUP_TARGET_NOT_BACKUP', ({ file }: { file: string }) => ({
  message: `${file} exists and is not a backup: a backup only replaces an older backup`,
  fix: 'choose another file name, or remove that file first',
}))

/** There was no room even to open the store. */
export const FolderFull = failure('STORE_FOLDER_FULL', ({ folder }: { folder: string }) => ({
  message: `the disk of data folder ${folder} is full`,
  fix: 'free space on that disk and start again; nothing was lost',
}))

/** Something else than the store wrote into the file, or the disk lost part of it. It is not opened: half a truth is worse than none. */
export const DatabaseDamaged = failure('STORE_DATABASE_DAMAGED', ({ file, why }: { file: string; why: string }) => ({
  message: `database ${file} is damaged: ${why}`,
  fix: 'restore it: move the folder away and put a backup in a new one under the same name; the damaged file was left as it is',
}))

/** The database lacks revisions that were acknowledged: SQLite found no, or only a part of, its write-ahead log. Nothing was changed. */
export const DatabaseBehind = failure(
  'STORE_DATABASE_BEHIND',
  ({ file, revision, acknowledged, confirm }: { file: string; revision: number; acknowledged: number; confirm: string }) => ({
    message: `database ${file} ends at revision ${revision}, but revision ${acknowledged} was acknowledged: its write-ahead log ${file}-wal was lost or damaged, or an older copy of the database is in its place`,
    fix: `put both files back as they were, or restore a backup in a new data folder; to start without the writes in between, create an empty file ${confirm}, which the start removes`,
  }),
)

/** Other files show that the data folder was in use, but its database is gone. Nothing was changed. */
export const DatabaseMissing = failure(
  'STORE_DATABASE_MISSING',
  ({ file, found, confirm }: { file: string; found: string; confirm: string }) => ({
    message: `database ${file} is missing, but the data folder was used before: it holds ${found}`,
    fix: `put the database back, or restore a backup; to start with an empty store, create an empty file ${confirm}, which the start removes`,
  }),
)

/** The disk does not give back what it holds, or does not take what it is given. What the database is like nobody knows. */
export const DatabaseUnreadable = failure('STORE_DATABASE_UNREADABLE', ({ file, why }: { file: string; why: string }) => ({
  message: `the disk failed while database ${file} was opened: ${why}`,
  fix: 'look at the disk and start again; if it is beyond repair, restore a backup on another one',
}))

/** What brings the tables to the format of this version did not get through. The step that failed changed nothing. */
export const DatabaseNotMigrated = failure(
  'STORE_DATABASE_NOT_MIGRATED',
  ({ file, to, copy, why }: { file: string; to: number; copy: string; why: string }) => ({
    message: `database ${file} could not be brought to format ${to}: ${why}`,
    fix: `start the version of Aviary that was here before, with ${copy} as the database of a new data folder; and report this`,
  }),
)

/** The file is not ours. It was not touched. */
export const DatabaseForeign = failure('STORE_DATABASE_FOREIGN', ({ file }: { file: string }) => ({
  message: `${file} is a database of another program`,
  fix: 'use another data folder, or move that file away',
}))

/** A later version changed the tables in a way that this one does not know. The file was not touched. */
export const DatabaseTooNew = failure(
  'STORE_DATABASE_TOO_NEW',
  ({ file, format, known }: { file: string; format: number; known: number }) => ({
    message: `database ${file} has format ${format}; this version of Aviary knows formats up to ${known}`,
    fix: 'start the version of Aviary that wrote it, or a newer one',
  }),
)

/** The copy could not be written; what there was under its name is as it was, and the store goes on. */
export const BackupNotWritten = failure('STORE_BACKUP_NOT_WRITTEN', ({ file, why }: { file: string; why: string }) => ({
  message: `cannot write the backup ${file}: ${why}`,
  fix: 'name a file in a folder that exists, is writable and has room for a copy of the database',
}))

/** SQLite's own result codes, as far as the store acts on them. */
const sqliteCode = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const

/** The primary result code of an error that SQLite reported; undefined for any other error. */
export function sqliteCodeOf(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  // The upper bytes say more exactly which disk operation failed.
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Whether an error says that another connection has the database locked. */
export function isLocked(error: unknown): boolean {
  return sqliteCodeOf(error) === sqliteCode.busy
}

/** Whether an error says that the disk is full, SQLite's or the system's own. */
export function isDiskFull(error: unknown): boolean {
  const code = systemCodeOf(error)
  return sqliteCodeOf(error) === sqliteCode.full || code === 'ENOSPC' || code === 'EDQUOT'
}

function systemCodeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code
}

/** The planned error for a failure to open a database; undefined if it is a defect of this program. */
export function explanationOf(error: unknown, { folder, file }: { readonly folder: string; readonly file: string }): Failure | undefined {
  if (error instanceof Failure) return error
  if (isDiskFull(error)) return FolderFull({ folder }, { cause: error })
  const why = error instanceof Error ? error.message : String(error)
  switch (sqliteCodeOf(error) ?? systemCodeOf(error)) {
    case sqliteCode.busy:
      return FolderInUse({ folder, owner: `another process, which has ${file} open` }, { cause: error })
    case sqliteCode.readOnly:
    case sqliteCode.cannotOpen:
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return FolderNotWritable({ folder, why }, { cause: error })
    case sqliteCode.ioError:
    case 'EIO':
      return DatabaseUnreadable({ file, why }, { cause: error })
    case sqliteCode.corrupt:
    case sqliteCode.notADatabase:
      return DatabaseDamaged({ file, why }, { cause: error })
    default:
      return undefined
  }
}
