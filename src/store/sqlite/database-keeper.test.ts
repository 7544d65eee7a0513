import { execFile } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { DatabaseKeeper } from './database-keeper.ts'
import { sqliteCodeOf } from './sqlite-code.ts'

async function keeperWithFile() {
  const folder = temporaryFolder()
  await (await openStore(folder)).close()
  const file = join(folder, 'aviary.db')
  return { file, keeper: new DatabaseKeeper(file) }
}

function query(file: string, sql: string): unknown[] {
  const database = new DatabaseSync(file)
  const rows = database.prepare(sql).all()
  database.close()
  return rows.map(row => Object.values(row)[0])
}

describe('the keeper of the database', () => {
  test('does what it is asked for, one after another, on a thread of its own', async () => {
    const { file, keeper } = await keeperWithFile()
    const asked = [
      keeper.do({ do: 'clear', revisions: [1, 7], compacted: 5 }),
      keeper.do({ do: 'clear', revisions: [2], compacted: 6 }),
      keeper.do({ do: 'checkpoint' }),
      keeper.do({ do: 'copy', to: `${file}.copy` }),
    ]
    expect(await Promise.all(asked)).toEqual([true, true, true, true])
    expect(await keeper.do({ do: 'vacuum', pages: 10, keep: 4096 })).toBe(false)
    await keeper.stop()
    expect(query(file, 'SELECT rv FROM revision')).toEqual([])
    for (const each of [file, `${file}.copy`]) {
      expect(query(each, "SELECT value FROM meta WHERE name = 'compacted'")).toEqual(['6'])
    }
  })

  test('does all of a request or nothing, and says why not', async () => {
    const { file, keeper } = await keeperWithFile()
    const other = new DatabaseSync(file)
    other.exec("CREATE TRIGGER no BEFORE DELETE ON revision BEGIN SELECT raise(ABORT, 'hands off'); END")
    other.close()
    const error = await keeper.do({ do: 'clear', revisions: [2], compacted: 9 }).catch((reason: unknown) => reason)
    expect((error as Error).message).toContain('hands off')
    expect(sqliteCodeOf(error)).toBe(19)
    await keeper.stop()
    expect(query(file, "SELECT value FROM meta WHERE name = 'compacted'")).toEqual(['1'])
  })

  test('finds its code compiled, as the program that starts it does', async () => {
    const folder = temporaryFolder()
    await (await openStore(folder)).close()
    const program = `
      import { enableCompileCache } from 'node:module'
      enableCompileCache(${JSON.stringify(join(folder, 'compiled'))})
      const { DatabaseKeeper } = await import(${JSON.stringify(import.meta.resolve('./database-keeper.ts'))})
      const keeper = new DatabaseKeeper(${JSON.stringify(join(folder, 'aviary.db'))})
      await keeper.do({ do: 'checkpoint' })
      await keeper.stop()`
    writeFileSync(join(folder, 'program.mjs'), program)
    await promisify(execFile)(process.execPath, [join(folder, 'program.mjs')])
    const [version = ''] = readdirSync(join(folder, 'compiled'))
    // The program itself has two files; the others are those of the thread.
    expect(readdirSync(join(folder, 'compiled', version)).length).toBeGreaterThan(5)
  })

  test('that has ended, or could not even start, refuses everything', async () => {
    const { keeper } = await keeperWithFile()
    await keeper.stop()
    expect(keeper.ended).toBe(true)
    await expect(keeper.do({ do: 'checkpoint' })).rejects.toThrow('has ended')
    const hopeless = new DatabaseKeeper(join(temporaryFolder(), 'missing', 'aviary.db'))
    await expect(hopeless.do({ do: 'checkpoint' })).rejects.toThrow('unable to open database file')
    await hopeless.stop()
  })
})
