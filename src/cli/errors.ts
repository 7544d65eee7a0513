import { failure } from '../ports/index.ts'

/** The command line makes no sense. */
export const Usage = failure('CLI_USAGE', ({ what, fix }: { what: string; fix: string }) => ({ message: what, fix }))

/** A file that should hold objects does not. */
export const ManifestNotValid = failure('CLI_MANIFEST_NOT_VALID', ({ where, what, fix }: { where: string; what: string; fix: string }) => ({
  message: `${where}: ${what}`,
  fix,
}))

/** What was waited for did not happen in time. */
export const WaitedTooLong = failure('CLI_TIMEOUT', ({ what, seconds }: { what: string; seconds: number }) => ({
  message: `${what} did not happen within ${seconds} s`,
  fix: 'ask why with: aviary why KIND/NAME; or wait longer with --timeout',
}))

/** A backup that arrived is not the whole one. */
export const BackupIncomplete = failure('CLI_BACKUP_INCOMPLETE', ({ got, expected }: { got: number; expected: number }) => ({
  message: `the backup was cut off: ${got} of ${expected} bytes arrived`,
  fix: 'try again; nothing was written',
}))
