import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { LogKeeper } from './log-keeper.ts'
import { sqliteCodeOf } from './sqlite-code.ts'

async function keeperWithFile() {
  const folder = temporaryFolder()
  await (await openStore(folder)).close()
  const file = join(folder, 'aviary.db')
  return { file, keeper: new LogKeeper(file) }
}

function query(file: string, sql: string): unknown[] {
  const database = new DatabaseSync(file)
  const rows = database.prepare(sql).all()
  database.close()
  return rows.map(row => Object.values(row)[0])
}

describe('the keeper of the log', () => {
  test('does what it is asked for, one after another, on a thread of its own', async () => {
    const { file, keeper } = await keeperWithFile()
    const asked = [
      keeper.do({ clear: [1, 7], compacted: 5 }),
      keeper.do({ clear: [2], compacted: 6 }),
      keeper.do({ checkpoint: 'TRUNCATE' }),
    ]
    expect(await Promise.all(asked)).toEqual([true, true, true])
    expect(await keeper.do({ vacuum: 10, keep: 4096 })).toBe(false)
    await keeper.stop()
    expect(query(file, 'SELECT rv FROM revision')).toEqual([])
    expect(query(file, "SELECT value FROM meta WHERE name = 'compacted'")).toEqual(['6'])
  })

  test('says when it writes, and lets others go on before whoever asked', async () => {
    const { keeper } = await keeperWithFile()
    const order: string[] = []
    await keeper.do({ checkpoint: 'PASSIVE' })
    const beside = keeper.do({ checkpoint: 'PASSIVE' })
    await Promise.resolve()
    expect(keeper.whenQuiet()).toBeUndefined()
    await beside
    const writing = keeper.do({ clear: [1], compacted: 2 }).then(() => order.push('who asked'))
    await Promise.resolve()
    await Promise.all([keeper.whenQuiet()!.then(() => order.push('who waited')), writing])
    expect(order).toEqual(['who waited', 'who asked'])
    expect(keeper.whenQuiet()).toBeUndefined()
    await keeper.stop()
  })

  test('does all of a request or nothing, and says why not', async () => {
    const { file, keeper } = await keeperWithFile()
    const other = new DatabaseSync(file)
    other.exec("CREATE TRIGGER no BEFORE DELETE ON revision BEGIN SELECT raise(ABORT, 'hands off'); END")
    other.close()
    const error = await keeper.do({ clear: [2], compacted: 9 }).catch((reason: unknown) => reason)
    expect((error as Error).message).toContain('hands off')
    expect(sqliteCodeOf(error)).toBe(19)
    await keeper.stop()
    expect(query(file, "SELECT value FROM meta WHERE name = 'compacted'")).toEqual(['1'])
  })

  test('that has ended, or could not even start, refuses everything', async () => {
    const { keeper } = await keeperWithFile()
    await keeper.stop()
    expect(keeper.ended).toBe(true)
    await expect(keeper.do({ checkpoint: 'PASSIVE' })).rejects.toThrow('has ended')
    const hopeless = new LogKeeper(join(temporaryFolder(), 'missing', 'aviary.db'))
    await expect(hopeless.do({ checkpoint: 'PASSIVE' })).rejects.toThrow('unable to open database file')
    await hopeless.stop()
  })
})
