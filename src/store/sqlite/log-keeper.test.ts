import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { LogKeeper } from './log-keeper.ts'
import type { Row } from './sealed-row.ts'
import { sqliteCodeOf } from './sqlite-code.ts'

const row = (rv: number): Row => [rv, 'nests.demo.aviary.dev', `here/n${rv}`, 0, '{}', '{}']

async function helperWithFile() {
  const folder = temporaryFolder()
  await (await openStore(folder)).close()
  const file = join(folder, 'aviary.db')
  return { file, helper: new LogKeeper(file) }
}

function revisions(file: string): unknown[] {
  const database = new DatabaseSync(file)
  const rows = database.prepare('SELECT rv FROM revision ORDER BY rv').all()
  database.close()
  return rows.map(({ rv }) => rv)
}

describe('the helper', () => {
  test('does what it is asked for, one after another, on a thread of its own', async () => {
    const { file, helper } = await helperWithFile()
    const asked = [helper.do({ append: [row(10), row(11)] }), helper.do({ append: [row(12)] }), helper.do({ clear: [10], compacted: 11 })]
    expect(helper.idle).toBe(false)
    expect(await Promise.all(asked)).toEqual([true, true, true])
    expect(helper.idle).toBe(true)
    expect(await helper.do({ vacuum: 10, keep: 4096 })).toBe(false)
    expect(await helper.do({ checkpoint: true })).toBe(true)
    await helper.stop()
    expect(revisions(file)).toEqual([2, 11, 12])
  })

  test('does all of a request or nothing, and says why not', async () => {
    const { file, helper } = await helperWithFile()
    const error = await helper.do({ append: [row(20), row(20)] }).catch((reason: unknown) => reason)
    expect((error as Error).message).toContain('UNIQUE constraint failed')
    expect(sqliteCodeOf(error)).toBe(19)
    expect(await helper.do({ append: [row(21)] })).toBe(true)
    await helper.stop()
    expect(revisions(file)).toEqual([2, 21])
  })

  test('that has ended refuses everything', async () => {
    const { helper } = await helperWithFile()
    await helper.stop()
    await expect(helper.do({ checkpoint: true })).rejects.toThrow('has ended')
  })

  test('that cannot open the database refuses everything', async () => {
    const helper = new LogKeeper(join(temporaryFolder(), 'missing', 'aviary.db'))
    await expect(helper.do({ checkpoint: true })).rejects.toThrow('unable to open database file')
    await helper.stop()
  })
})
