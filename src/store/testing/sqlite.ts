import { allKinds, Namespace } from '../../kinds/index.ts'
import { realClock, seededChance, silentLog } from '../../ports/index.ts'
import { openSqliteStore, type SqliteStoreOptions } from '../sqlite/open.ts'
import type { SqliteStore } from '../sqlite/store.ts'

/** Opens the store of a folder; the namespace `here` is in it. */
export async function openStore(folder: string, options: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  const store = await openSqliteStore({
    folder,
    kinds: allKinds,
    clock: realClock(),
    chance: seededChance(folder),
    log: silentLog,
    ...options,
  })
  const { items } = await store.list(Namespace, { fieldSelector: 'metadata.name=here' })
  if (items.length === 0) await store.create(Namespace, { metadata: { name: 'here' }, spec: {} })
  return store
}
