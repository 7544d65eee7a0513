import { Failure } from '../../ports/index.ts'
import { DatabaseDamaged, DatabaseUnreadable, FolderFull, FolderInUse, FolderNotWritable } from './errors.ts'
import { isDiskFull, sqliteCode, sqliteCodeOf } from './sqlite-code.ts'

/** What an error on opening a database says to whoever must act; undefined if it is none that anybody foresaw. */
export function explanationOf(error: unknown, { folder, file }: { readonly folder: string; readonly file: string }): Failure | undefined {
  if (error instanceof Failure) return error
  if (isDiskFull(error)) return FolderFull({ folder }, { cause: error })
  const why = error instanceof Error ? error.message : String(error)
  switch (sqliteCodeOf(error) ?? (error as { code?: unknown }).code) {
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
