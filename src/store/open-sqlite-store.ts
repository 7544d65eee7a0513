import type { SqliteStoreOptions } from './sqlite/open-sqlite-store.ts'
import type { SqliteStore } from './sqlite/sqlite-store.ts'

/**
 * Opens the embedded store in a data folder: see `sqlite/open-sqlite-store.ts`. The engine is loaded only now, because those who
 * speak to a server, as the command line does, never need it.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const engine = await import('./sqlite/open-sqlite-store.ts')
  return await engine.openSqliteStore(options)
}
