/** SQLite's own result codes, as far as anybody acts on them. */
export const sqliteCode = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const

/** The primary result code of an error that SQLite reported; undefined for any other error. */
export function sqliteCodeOf(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  // The upper bytes say more exactly which disk operation failed.
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Whether an error says that somebody else has the database locked. */
export function isLocked(error: unknown): boolean {
  return sqliteCodeOf(error) === sqliteCode.busy
}

/** Whether an error says that too many files are open, in this process or on this machine. */
export function isOutOfFiles(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code
  return code === 'EMFILE' || code === 'ENFILE'
}

/** Whether an error says that the disk has no room, SQLite's or the system's own. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code
  return sqliteCodeOf(error) === sqliteCode.full || code === 'ENOSPC' || code === 'EDQUOT'
}
