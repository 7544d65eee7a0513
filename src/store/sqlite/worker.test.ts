import { execFile } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { sqliteCodeOf } from './errors.ts'
import { DatabaseWorker } from './worker.ts'

async function workerWithFile() {
  const folder = temporaryFolder()
  await (await openStore(folder)).close()
  const file = join(folder, 'aviary.db')
  return { file, worker: new DatabaseWorker(file) }
}

function query(file: string, sql: string): unknown[] {
  const database = new DatabaseSync(file)
  const rows = database.prepare(sql).all()
  database.close()
  return rows.map(row => Object.values(row)[0])
}

describe('the database thread', () => {
  test('performs requests one after another', async () => {
    const { file, worker } = await workerWithFile()
    const row = (revision: number) => [revision, 'nests.demo.aviary.dev', `here/n${revision}`, 0, '{}', '{}'] as const
    await Promise.all([
      worker.perform({ do: 'commit', rows: [row(3), row(4)], removed: [], compacted: 1 }),
      worker.perform({ do: 'commit', rows: [row(5)], removed: [2, 3], compacted: 4 }),
      worker.perform({ do: 'probe' }),
      worker.perform({ do: 'vacuum' }),
      worker.perform({ do: 'backup', to: `${file}.copy` }),
    ])
    await worker.close()
    for (const each of [file, `${file}.copy`]) {
      expect(query(each, 'SELECT rv FROM revision ORDER BY rv')).toEqual([4, 5])
      expect(query(each, "SELECT value FROM meta WHERE name = 'compacted'")).toEqual(['4'])
    }
  })

  test('performs all of a commit or nothing, and says why not', async () => {
    const { file, worker } = await workerWithFile()
    const other = new DatabaseSync(file)
    other.exec("CREATE TRIGGER no BEFORE DELETE ON revision BEGIN SELECT raise(ABORT, 'hands off'); END")
    other.close()
    const rows = [[3, 'nests.demo.aviary.dev', 'here/a', 0, '{}', '{}']] as const
    const error = await worker.perform({ do: 'commit', rows, removed: [2], compacted: 2 }).catch((reason: unknown) => reason)
    expect((error as Error).message).toContain('hands off')
    expect(sqliteCodeOf(error)).toBe(19)
    await worker.close()
    expect(query(file, 'SELECT rv FROM revision')).toEqual([2])
    expect(query(file, "SELECT value FROM meta WHERE name = 'compacted'")).toEqual(['1'])
  })

  test('finds its code compiled, as the program that starts it does', async () => {
    const folder = temporaryFolder()
    await (await openStore(folder)).close()
    const program = `
      import { enableCompileCache } from 'node:module'
      enableCompileCache(${JSON.stringify(join(folder, 'compiled'))})
      const { DatabaseWorker } = await import(${JSON.stringify(import.meta.resolve('./worker.ts'))})
      const worker = new DatabaseWorker(${JSON.stringify(join(folder, 'aviary.db'))})
      await worker.perform({ do: 'connect' })
      await worker.close()`
    writeFileSync(join(folder, 'program.mjs'), program)
    await promisify(execFile)(process.execPath, [join(folder, 'program.mjs')])
    const [version = ''] = readdirSync(join(folder, 'compiled'))
    // The program itself has two files; the others are those of the thread.
    expect(readdirSync(join(folder, 'compiled', version)).length).toBeGreaterThan(5)
  })

  test('that has ended, or could not start, refuses every request', async () => {
    const { worker } = await workerWithFile()
    await worker.close()
    await expect(worker.perform({ do: 'probe' })).rejects.toThrow('has ended')
    const hopeless = new DatabaseWorker(join(temporaryFolder(), 'missing', 'aviary.db'))
    await expect(hopeless.perform({ do: 'connect' })).rejects.toThrow('unable to open database file')
  })
})
