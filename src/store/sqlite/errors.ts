import { failure } from '../../ports/index.ts'

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
