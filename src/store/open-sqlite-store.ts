import type { SqliteStoreOptions } from './sqlite/open.ts'
import type { SqliteStore } from './sqlite/store.ts'

/**
 * Opens the embedded store in a data folder: see `sqlite/open.ts`. The engine is loaded only now: the CLI, which talks
 * to a server, never needs it.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const engine = await import('./sqlite/open.ts')
  return await engine.openSqliteStore(options)
}
