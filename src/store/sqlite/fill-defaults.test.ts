import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { kind, Namespace, type Kind } from '../../kinds/index.ts'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { connect, type Database, scalar } from './database.ts'
import { fillDefaults } from './schema.ts'

/** A kind of which one program version knows less than the next. */
const scroll = <S extends z.ZodObject>(spec: S) =>
  kind({
    group: 'demo.aviary.dev',
    version: 'v1alpha1',
    name: 'Scroll',
    plural: 'scrolls',
    scope: 'Cluster',
    description: 'A text.',
    spec,
    selectableFields: ['spec.ink'],
  })
const text = z.string().optional()
const before = scroll(z.object({ text, ink: z.string().optional() }))
const after = scroll(z.object({ text, ink: z.string().default('black') }))

/** A folder in which an earlier program left one scroll without ink in two states, and one with. */
async function oldFolder() {
  const folder = temporaryFolder()
  const store = await openStore(folder, { kinds: [Namespace, before] })
  const made = await store.create(before, { metadata: { name: 'plain', labels: { shelf: 'a' } }, spec: {} })
  const plain = await store.update(before, { ...made, spec: { text: 'once' } })
  const blue = await store.create(before, { metadata: { name: 'blue' }, spec: { ink: 'blue' } })
  await store.close()
  return { folder, made, plain, blue }
}

async function scrollsIn(folder: string, of: Kind = after): Promise<readonly object[]> {
  const store = await openStore(folder, { kinds: [Namespace, of] })
  const { items } = await store.list(of)
  await store.close()
  return items.map(({ object }) => object)
}

test('an object from when its kind had fewer defaults gets them, and is otherwise what it was', async () => {
  const { folder, made, plain, blue } = await oldFolder()
  const store = await openStore(folder, { kinds: [Namespace, after] })
  expect(await store.get(after, { name: 'plain' })).toEqual({ ...plain, spec: { text: 'once', ink: 'black' } })
  expect(await store.get(after, { name: 'blue' })).toEqual(blue)
  const black = await store.list(after, { labelSelector: 'shelf=a', fieldSelector: 'spec.ink=black' })
  expect(black.items.map(({ object }) => object.metadata.name)).toEqual(['plain'])
  const past = await store.list(after, { resourceVersion: made.metadata.resourceVersion!, exactRevision: true })
  expect(past.items.map(({ object }) => object)).toEqual([{ ...made, spec: { ink: 'black' } }])
  await store.close()
})

test('a kind whose defaults are what they were is not looked through again', async () => {
  const { folder } = await oldFolder()
  await scrollsIn(folder)
  const database = connect(join(folder, 'aviary.db'))
  fillDefaults(database, [Namespace, after])
  expect(scalar(database, 'SELECT total_changes()')).toBe(0)
  fillDefaults(database, [scroll(z.object({ text, ink: z.string().default('red') }))])
  expect(scalar(database, 'SELECT total_changes()')).toBe(1)
  database.close()
})

test('objects of kinds that this program does not know stay as they are until it does', async () => {
  const { folder, blue, plain } = await oldFolder()
  await (await openStore(folder, { kinds: [Namespace] })).close()
  expect(await scrollsIn(folder)).toEqual([blue, { ...plain, spec: { text: 'once', ink: 'black' } }])
})

test('an older program version opens it again and leaves what was filled in', async () => {
  const { folder } = await oldFolder()
  const filled = await scrollsIn(folder)
  expect(await scrollsIn(folder, before)).toEqual(filled)
})

test('an interruption leaves everything as it was, and the next start does it', async () => {
  const { folder, blue, plain } = await oldFolder()
  const database = connect(join(folder, 'aviary.db'))
  const interrupted: Database = {
    prepare: sql => database.prepare(sql),
    exec: sql => {
      if (sql === 'COMMIT') throw new Error('the power is gone')
      database.exec(sql)
    },
    backup: to => database.backup(to),
    close: () => database.close(),
  }
  expect(() => fillDefaults(interrupted, [after])).toThrow('the power is gone')
  database.close()
  expect(await scrollsIn(folder, before)).toEqual([blue, plain])
  expect(await scrollsIn(folder)).toEqual([blue, { ...plain, spec: { text: 'once', ink: 'black' } }])
})

test('what is damaged is not made to look whole', async () => {
  const { folder } = await oldFolder()
  const database = connect(join(folder, 'aviary.db'))
  database.exec(`UPDATE revision SET body = '{"spec":{}}' WHERE key = 'plain'`)
  database.close()
  await expect(openStore(folder, { kinds: [Namespace, after] })).rejects.toMatchObject({ code: 'STORE_DATABASE_DAMAGED' })
})
