import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { firstFormat, type Migration, migrations } from './schema.ts'

/** As if the second format had come, in which something is called otherwise, and the third, in which nothing much changed. */
const toSecond: Migration = { to: 2, run: database => database.exec('ALTER TABLE revision RENAME COLUMN characteristics TO traits') }
const toThird: Migration = { to: 3, run: database => database.exec("INSERT INTO meta VALUES ('third', 'yes')") }

/** A folder with a store of the first format, as an older program would have left it. */
async function oldFolder(): Promise<string> {
  const folder = temporaryFolder()
  const store = await openStore(folder)
  await store.create(Nest, { metadata: { namespace: 'here', name: 'a' }, spec: { eggs: 3, material: 'moss' } })
  await store.close()
  const database = new DatabaseSync(join(folder, 'aviary.db'))
  database.exec('ALTER TABLE revision RENAME COLUMN traits TO characteristics')
  database.close()
  return folder
}

describe('a database of an older format', () => {
  test('is migrated step by step, after a copy of it was put aside', async () => {
    const folder = await oldFolder()
    const store = await openStore(folder, { migrations: [toSecond, toThird] })
    expect((await store.get(Nest, { namespace: 'here', name: 'a' })).spec.eggs).toBe(3)
    await store.close()

    const copy = new DatabaseSync(join(folder, `aviary.db.format-${firstFormat}`))
    expect(copy.prepare('PRAGMA user_version').get()).toEqual({ user_version: firstFormat })
    expect(copy.prepare('SELECT count(*) AS n FROM revision WHERE characteristics IS NOT NULL').get()).toEqual({ n: 2 })
    copy.close()
    const database = new DatabaseSync(join(folder, 'aviary.db'))
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 })
    expect(database.prepare("SELECT value FROM meta WHERE name = 'third'").get()).toEqual({ value: 'yes' })
    database.close()
    // Opened once more there is nothing left to do.
    await (await openStore(folder, { migrations: [toSecond, toThird] })).close()
  })

  test('whose migration fails stays as it was, and the steps before it count', async () => {
    const folder = await oldFolder()
    const fails: Migration = {
      to: 3,
      run: database => {
        database.exec('DELETE FROM revision')
        throw new Error('something was not as expected')
      },
    }
    await expect(openStore(folder, { migrations: [toSecond, fails] })).rejects.toMatchObject({
      code: 'STORE_DATABASE_NOT_MIGRATED',
      message: expect.stringContaining('to format 3: something was not as expected'),
      fix: expect.stringContaining(join(folder, 'aviary.db.format-1')),
    })
    const store = await openStore(folder, { migrations: [toSecond] })
    expect((await store.list(Nest)).items).toHaveLength(1)
    await store.close()
  })

  test('can be restored from the copy that was put aside', async () => {
    const folder = await oldFolder()
    const migrated = await openStore(folder, { migrations: [toSecond] })
    const later = await migrated.create(Nest, { metadata: { namespace: 'here', name: 'later' }, spec: {} })
    await migrated.close()
    expect(readdirSync(folder).filter(name => name.endsWith('.unfinished'))).toEqual([])

    const elsewhere = temporaryFolder()
    copyFileSync(join(folder, 'aviary.db.format-1'), join(elsewhere, 'aviary.db'))
    const restored = await openStore(elsewhere, { migrations: [toSecond] })
    expect((await restored.list(Nest)).items.map(({ object }) => object.spec)).toEqual([{ eggs: 3, material: 'moss' }])
    // Whoever saw the migrated store must not take a new change for one that they know.
    const next = await restored.create(Nest, { metadata: { namespace: 'here', name: 'next' }, spec: {} })
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(later.metadata.resourceVersion))
    await restored.close()
  })
})

test('migrations are in order and lead without a gap from the first format to the newest', () => {
  expect(migrations.map(({ to }) => to)).toEqual(migrations.map((_, at) => firstFormat + 1 + at))
})
