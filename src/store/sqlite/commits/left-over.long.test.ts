import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Nest } from '../../../kinds/index.ts'
import type { Store } from '../../store.ts'
import { applyChange, nestChange } from '../../testing/changes.ts'
import { openStore } from '../../testing/sqlite.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { blockSize, recordAt } from './record.ts'
import { segmentFiles } from './segment-files.ts'

const nest = (name: string, note = 'x') => ({ metadata: { namespace: 'here', name, annotations: { note } }, spec: { eggs: 1 } })

/** What a process leaves that is killed now: its files as they are. */
function killed(folder: string): string {
  const left = temporaryFolder()
  for (const name of readdirSync(folder).filter(each => each.startsWith('aviary.db') && !each.endsWith('-shm'))) {
    cpSync(join(folder, name), join(left, name))
  }
  return left
}

/** A folder that is left with three nests in the log, one commit each, and its segment. */
async function leftWithThree() {
  const folder = temporaryFolder()
  const store = await openStore(folder)
  for (const name of ['a', 'b', 'c']) await store.create(Nest, nest(name))
  const left = killed(folder)
  await store.close()
  const [segment] = segmentFiles(join(left, 'aviary.db'))
  return { left, segment: segment! }
}

/** Where the records of a segment begin: that of the namespace first. */
function beginnings(segment: string): number[] {
  const bytes = readFileSync(segment)
  const places: number[] = []
  for (let at = blockSize, record = recordAt(bytes, at); record !== undefined; at = record.end, record = recordAt(bytes, at)) {
    places.push(at)
  }
  return places
}

function overwrite(file: string, at: number, text: string): void {
  const bytes = readFileSync(file)
  bytes.write(text, at)
  writeFileSync(file, bytes)
}

async function objects(store: Store): Promise<readonly Nest[]> {
  return (await store.list(Nest)).items.map(({ object }) => object)
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const store = await openStore(folder)
  const names = (await objects(store)).map(({ metadata }) => metadata.name)
  await store.close()
  return names
}

/** Why a folder is not opened, which must be left as it was. */
async function refusalOf(folder: string): Promise<string> {
  const content = () => readdirSync(folder).map(name => [name, readFileSync(join(folder, name)).toString('latin1')])
  const before = content().filter(([name]) => name!.startsWith('aviary.db-commits'))
  const error: unknown = await openStore(folder).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'STORE_DATABASE_DAMAGED' })
  expect(content().filter(([name]) => name!.startsWith('aviary.db-commits'))).toEqual(before)
  return (error as Error).message
}

describe('a process that is killed', () => {
  test('leaves everything that it acknowledged, whenever that is, and however much of it was moved', async () => {
    const step = fc.oneof({ weight: 8, arbitrary: nestChange }, fc.constantFrom('compact', 'backup'))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
        const folder = temporaryFolder()
        const store = await openStore(folder)
        for (const [at, each] of steps.entries()) {
          if (each === 'compact') await store.compact()
          else if (each === 'backup') await store.backup(join(folder, `copy-${at}`))
          else await applyChange(store, 'here', each)
        }
        const expected = { objects: await objects(store), revision: store.stats().revision }
        const left = killed(folder)
        await store.close()
        const after = await openStore(left)
        expect({ objects: await objects(after), revision: after.stats().revision }).toEqual(expected)
        expect(segmentFiles(join(left, 'aviary.db'))).toEqual([])
        await after.close()
      }),
      { numRuns: 12 },
    )
  })

  test('leaves it also in segments that were written before, behind whose records stand old ones', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    await Promise.all(Array.from({ length: 100 }, (_, n) => store.create(Nest, nest(`old-${n}`, 'x'.repeat(50_000)))))
    // Both moves what there is, and the next commits go over it from the start.
    await store.compact()
    await store.create(Nest, nest('new-a'))
    await store.delete(Nest, { namespace: 'here', name: 'old-7' })
    const left = killed(folder)
    const expected = await objects(store)
    await store.close()
    const after = await openStore(left)
    expect(await objects(after)).toEqual(expected)
    await after.close()
  })

  test('may be killed again while the next start moves what it left', async () => {
    const { left, segment } = await leftWithThree()
    const bytes = readFileSync(segment)
    expect(await namesIn(left)).toEqual(['a', 'b', 'c'])
    // As if the rows had got into the database, and the segment had not gone.
    writeFileSync(segment, bytes)
    expect(await namesIn(left)).toEqual(['a', 'b', 'c'])
    expect(segmentFiles(join(left, 'aviary.db'))).toEqual([])
  })

  test('may be killed while it makes a segment', async () => {
    const { left, segment } = await leftWithThree()
    writeFileSync(segment.replace(/\d+$/, '7'), '')
    writeFileSync(segment.replace(/\d+$/, '8'), Buffer.alloc(10_000))
    expect(await namesIn(left)).toEqual(['a', 'b', 'c'])
  })
})

describe('a commit that is not whole', () => {
  test('was never acknowledged if it is the last one: all before it are there', async () => {
    const { left, segment } = await leftWithThree()
    overwrite(segment, beginnings(segment).at(-1)! + 100, 'torn')
    expect(await namesIn(left)).toEqual(['a', 'b'])
  })

  test.each([0, 1, 2])('is a loss if others follow on it (number %i): the store is not opened without it', async at => {
    const { left, segment } = await leftWithThree()
    overwrite(segment, beginnings(segment)[at]! + 100, 'lost')
    expect(await refusalOf(left)).toMatch(/the commits from revision \d+ to \d+ are lost/)
  })
})

describe('a log beside a database', () => {
  test('of which a part is gone is refused', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    const large = 'x'.repeat(250_000)
    // So that nothing can be moved meanwhile.
    const other = new DatabaseSync(join(folder, 'aviary.db'))
    other.exec('BEGIN IMMEDIATE')
    await Promise.all(Array.from({ length: 80 }, (_, n) => store.create(Nest, nest(`n${n}`, large))))
    const left = killed(folder)
    other.close()
    await store.close()
    const all = segmentFiles(join(left, 'aviary.db'))
    expect(all.length).toBeGreaterThan(2)
    rmSync(all.find(file => file.endsWith('-1'))!)
    expect(await refusalOf(left)).toContain('are lost')
  })

  test('that belongs to another one is refused', async () => {
    const { left, segment } = await leftWithThree()
    const { left: other, segment: own } = await leftWithThree()
    rmSync(own)
    cpSync(segment, join(other, basename(segment)))
    expect(await refusalOf(other)).toContain('the log of another database')
    expect(await namesIn(left)).toHaveLength(3)
  })

  test('in which a revision stands twice is refused', async () => {
    const { left, segment } = await leftWithThree()
    cpSync(segment, segment.replace(/\d+$/, '9'))
    expect(await refusalOf(left)).toContain('was committed twice')
  })

  test('is left alone if the database does not know what it holds', async () => {
    const { left } = await leftWithThree()
    const database = new DatabaseSync(join(left, 'aviary.db'))
    database.exec("UPDATE meta SET value = '' WHERE name = 'compacted'")
    database.close()
    expect(await refusalOf(left)).toContain('its table meta is incomplete')
  })

  test('that is none is refused', async () => {
    const { left, segment } = await leftWithThree()
    overwrite(segment, 0, 'Something else ')
    expect(await refusalOf(left)).toContain('not a log of commits that this version can read')
  })

  test('whose database was replaced by a backup is refused, and so is one without a database', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    await store.backup(join(folder, 'copy'))
    await store.close()
    const { left } = await leftWithThree()
    rmSync(join(left, 'aviary.db-wal'))
    cpSync(join(folder, 'copy'), join(left, 'aviary.db'))
    expect(await refusalOf(left)).toContain('belongs to another database; move both away')
    rmSync(join(left, 'aviary.db'))
    expect(await refusalOf(left)).toContain('the file is gone')
  })
})
