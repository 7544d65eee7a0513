import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigMap, Namespace, Nest } from '../../kinds/index.ts'
import { realClock, seededChance, silentLog } from '../../ports/index.ts'
import { storeContract } from '../contract.ts'
import { openSqliteStore } from './open.ts'

storeContract('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'aviary-store-'))
  const kinds = [Namespace, ConfigMap, Nest]
  const store = await openSqliteStore({ folder, kinds, clock: realClock(), chance: seededChance('sqlite'), log: silentLog })
  const namespace = async () => {
    const made = await store.create(Namespace, { metadata: { generateName: 'test-' }, spec: {} })
    return made.metadata.name
  }
  const cleanup = async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  }
  return { store, namespace, cleanup }
})
