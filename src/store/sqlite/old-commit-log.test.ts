import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import type { Row } from './log.ts'

const blockSize = 4096

/** A segment as earlier versions wrote it. */
function segment(installation: string, commits: readonly (readonly Row[])[]): Buffer {
  const header = Buffer.alloc(blockSize)
  header.write(`Aviary commits 1\n${installation}\n`)
  // Space is reserved ahead.
  return Buffer.concat([header, ...commits.map(record), Buffer.alloc(3 * blockSize)])
}

function record(rows: readonly Row[]): Buffer {
  const body = Buffer.concat(rows.map(row))
  const bytes = Buffer.alloc(Math.ceil((24 + body.length) / blockSize) * blockSize)
  bytes.writeUInt32LE(0x31_63_76_41, 0)
  bytes.writeUInt32LE(body.length, 4)
  bytes.writeUInt32LE(rows.length, 12)
  bytes.writeDoubleLE(rows[0]![0], 16)
  body.copy(bytes, 24)
  bytes.writeUInt32LE(crc32(bytes.subarray(12, 24 + body.length)), 8)
  return bytes
}

function row([, kind, key, deleted, traits, body]: Row): Buffer {
  const texts = [kind, key, traits, body].map(text => Buffer.from(text))
  const header = Buffer.alloc(20)
  texts.forEach((text, at) => header.writeUInt32LE(text.length, 4 * at))
  header.writeUInt32LE(deleted, 16)
  return Buffer.concat([header, ...texts])
}

/** What a killed earlier version left: rows of five nests and a removal, the last four commits of which are only in segments. */
async function oldFolder() {
  const folder = temporaryFolder()
  const store = await openStore(folder)
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await store.create(Nest, { metadata: { namespace: 'here', name, annotations: { note: 'ümläut'.repeat(1000) } }, spec: { eggs: 1 } })
  }
  await store.delete(Nest, { namespace: 'here', name: 'b' })
  const objects = (await store.list(Nest)).items.map(({ json }) => json)
  const { revision } = store.stats()
  await store.close()
  const database = new DatabaseSync(join(folder, 'aviary.db'))
  const select = database.prepare('SELECT rv, kind, key, deleted, traits, body FROM revision WHERE rv > ? ORDER BY rv')
  select.setReturnArrays(true)
  const rows = select.all(revision - 5) as unknown as Row[]
  database.exec(`DELETE FROM revision WHERE rv > ${revision - 5}`)
  database.close()
  const file = (number: number) => join(folder, `aviary.db-commits-${number}`)
  // Earlier versions did not write it.
  writeFileSync(join(folder, 'aviary.db-acknowledged'), '')
  return { folder, file, rows, objects, revision, installation: store.installation }
}

const segmentsIn = (folder: string) => readdirSync(folder).filter(name => name.includes('-commits-'))

describe('commits in segments of an earlier version', () => {
  test('are moved into the database once, in order, whichever segment they are in', async () => {
    const { folder, file, rows, objects, revision, installation } = await oldFolder()
    const commits = [rows.slice(0, 2), rows.slice(2, 3), rows.slice(3)] as const
    writeFileSync(file(0), segment(installation, [commits[2]]))
    writeFileSync(file(1), segment(installation, [commits[0], commits[1]]))
    // Segments that were being made.
    writeFileSync(file(7), '')
    writeFileSync(file(8), Buffer.alloc(10_000))
    const before = readFileSync(file(1))
    for (const again of [false, true]) {
      // As if the process had been killed before the segments were removed.
      if (again) writeFileSync(file(1), before)
      const store = await openStore(folder)
      expect((await store.list(Nest)).items.map(({ json }) => json)).toEqual(objects)
      expect(store.stats().revision).toBe(revision)
      await store.close()
      expect(segmentsIn(folder)).toEqual([])
    }
  })

  test('of which the last one is torn was never acknowledged: all before it are there', async () => {
    const { folder, file, rows, revision, installation } = await oldFolder()
    const bytes = segment(installation, [rows.slice(0, 4), rows.slice(4)])
    bytes.write('torn', bytes.length - 4 * blockSize + 50)
    writeFileSync(file(0), bytes)
    const store = await openStore(folder)
    expect(store.stats().revision).toBe(revision - 1)
    await store.close()
  })

  type Old = Awaited<ReturnType<typeof oldFolder>>
  const damages: readonly (readonly [string, (old: Old) => Buffer, string])[] = [
    ['lack one in the middle', ({ rows, installation }) => segment(installation, [rows.slice(0, 1), rows.slice(2)]), 'are lost'],
    ['hold one twice', ({ rows, installation }) => segment(installation, [rows, rows]), 'was committed twice'],
    ['belong to another database', ({ rows }) => segment('another', [rows]), 'the commit log of another database'],
    ['are something else', () => Buffer.from('Something else '.repeat(1000)), 'not a commit log that this version can read'],
  ]
  test.each(damages)('that %s are refused and left as they are', async (_, damage, why) => {
    const old = await oldFolder()
    const bytes = damage(old)
    writeFileSync(old.file(0), bytes)
    await expect(openStore(old.folder)).rejects.toMatchObject({ code: 'STORE_DATABASE_DAMAGED', message: expect.stringContaining(why) })
    expect(existsSync(old.file(0)) && readFileSync(old.file(0)).equals(bytes)).toBe(true)
  })
})
