import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allKinds, Namespace, Nest } from '../../kinds/index.ts'
import { realClock, recordingLog, seededChance } from '../../ports/index.ts'
import { EmbeddedStore } from '../embedded/embedded-store.ts'
import { defaultWindow, type HistoryWindow } from '../embedded/history.ts'
import { State } from '../embedded/state.ts'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { type Database, scalar, type SqliteDatabase, type Statement } from './database.ts'
import { migrations } from './format.ts'
import { load } from './load.ts'
import { openDatabase } from './open-database.ts'
import { RevisionLog } from './revision-log.ts'
import { type Commit, type Keeper, SqliteJournal } from './sqlite-journal.ts'
import { writeAheadLog } from './write-ahead-log.ts'

const nest = (name: string, eggs = 1) => ({
  metadata: { namespace: 'here', name, annotations: { note: 'x'.repeat(3000) } },
  spec: { eggs, material: 'twig' as const },
})

/** A database on which the next statement that begins with `failing` fails as if the disk had. */
class FaultyDatabase implements Database {
  readonly #database: Database
  failing: string | undefined

  constructor(database: Database) {
    this.#database = database
  }

  exec(sql: string): void {
    this.#mayFail(sql)
    this.#database.exec(sql)
  }

  prepare(sql: string): Statement {
    const statement = this.#database.prepare(sql)
    const run: Statement['run'] = (...values) => {
      this.#mayFail(sql)
      statement.run(...values)
    }
    return { run, rows: (...values) => statement.rows(...values) }
  }

  #mayFail(sql: string): void {
    if (this.failing === undefined || !sql.startsWith(this.failing)) return
    this.failing = undefined
    throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 1034 })
  }

  close(): void {
    this.#database.close()
  }
}

/** Does what the thread would do, a little later, on a database that can be made to fail. */
function keeperOn(database: Database): Keeper {
  const log = new RevisionLog(database)
  return {
    ended: false,
    whenQuiet: () => undefined,
    async do(request) {
      await new Promise<void>(resolve => realClock().soon(resolve))
      if ('clear' in request) log.clear(request.clear, request.compacted)
      else if ('vacuum' in request) return log.vacuum(request.vacuum, request.keep)
      else if ('checkpoint' in request) log.checkpoint(request.checkpoint)
      return true
    },
    async stop() {},
  }
}

/** A store whose disk can be made to fail. */
async function faultyWorld(window: Partial<HistoryWindow> = {}) {
  const folder = temporaryFolder()
  await (await openStore(folder)).close()
  const file = join(folder, 'aviary.db')
  const log = recordingLog()
  const clock = realClock()
  const real: SqliteDatabase = openDatabase({ folder, file, installation: () => 'x', migrations, log })
  const database = new FaultyDatabase(real)
  const state = new State(allKinds, { ...defaultWindow, ...window })
  const { superseded } = load(real, file, state, 0, 10_000)
  const commits: Commit[] = []
  const wal = writeAheadLog(real, file)
  const disk = { syncs: 0, failing: false, close: () => wal.close(), sync, syncLater: async () => sync() }
  function sync() {
    if (disk.failing) throw new Error('EIO: i/o error, fdatasync')
    disk.syncs++
    wal.sync()
  }
  const journal = new SqliteJournal({
    database,
    writeAheadLog: disk,
    file,
    clock,
    log,
    superseded,
    compacted: state.compacted,
    onCommit: commit => commits.push(commit),
    keeper: () => keeperOn(database),
  })
  const store = new EmbeddedStore({ state, clock, chance: seededChance(1), journal, schedule: flush => clock.soon(flush) })
  return { folder, store, database, real, log, commits, journal, state, disk }
}

describe('a full disk', () => {
  test('refuses writes with a clear error, loses nothing, and takes them again when there is room', async () => {
    const { folder, store, real, log } = await faultyWorld()
    await store.create(Nest, nest('before'))
    const pages = Number(scalar(real, 'PRAGMA page_count'))
    real.exec(`PRAGMA max_page_count = ${pages}`)
    const results = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    results.push(...(await Promise.allSettled([1, 2, 3, 4, 5].map(n => store.create(Nest, nest(`few-${n}`))))))
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { reason: 'ServiceUnavailable', message: expect.stringContaining('full'), fix: expect.stringContaining('free space') },
      })
    }
    expect((await store.list(Nest)).items).toHaveLength(1)

    real.exec('PRAGMA max_page_count = 1000000')
    await store.create(Nest, nest('after'))
    // However many writes were refused, the log tells of it once, and of the end.
    expect(log.lines.map(line => line.message)).toEqual([
      'the disk is full: writes are refused',
      'the disk has room again: writes are taken',
    ])
    await store.close()
    const again = await openStore(folder)
    expect((await again.list(Nest)).items.map(item => item.object.metadata.name)).toEqual(['after', 'before'])
    await again.close()
  })
})

describe('a disk that fails', () => {
  test.each([
    { how: 'one', together: 1, at: 'INSERT' },
    { how: 'many', together: 20, at: 'COMMIT' },
  ])(
    'when $how write: writes are refused until the next start, reading goes on, nothing unacknowledged is there',
    async ({ together, at }) => {
      const { folder, store, database, journal } = await faultyWorld()
      await store.create(Nest, nest('before'))
      database.failing = at
      const refused = { reason: 'ServiceUnavailable', message: expect.stringContaining('failed'), fix: expect.stringContaining('restart') }
      const lost = await Promise.allSettled(Array.from({ length: together }, (_, n) => store.create(Nest, nest(`lost-${n}`))))
      for (const result of lost) expect(result).toMatchObject({ status: 'rejected', reason: refused })
      await expect(store.create(Nest, nest('later'))).rejects.toMatchObject(refused)
      expect(journal.failed).toBe(true)
      expect((await store.list(Nest)).items.map(item => item.object.metadata.name)).toEqual(['before'])
      await store.close()
      const again = await openStore(folder)
      expect((await again.list(Nest)).items.map(item => item.object.metadata.name)).toEqual(['before'])
      await again.create(Nest, nest('after'))
      await again.close()
    },
  )

  test('while clearing away harms nobody: it is tried again later', async () => {
    const { store, database, journal, log } = await faultyWorld({ fewest: 0, age: 0, most: 1 })
    let nests = await Promise.all(Array.from({ length: 60 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    const changeAll = async () => {
      nests = await Promise.all(
        nests.map(object => store.update(Nest, { ...object, spec: { ...object.spec, eggs: (object.spec.eggs + 1) % 12 } })),
      )
    }
    database.failing = 'DELETE'
    for (let round = 0; round < 80; round++) await changeAll()
    expect(log.lines.map(line => line.message)).toEqual(['superseded revisions could not be cleared away'])
    expect(journal.superseded).toBeLessThan(60 * 60)
    await journal.compact()
    expect(journal.superseded).toBe(0)
    expect((await store.list(Nest)).items).toHaveLength(60)
    await store.close()
  })
})

describe('compacting', () => {
  test('waits for whoever works alone, and then does all that it was asked for', async () => {
    const { store, journal, state } = await faultyWorld()
    const made = await store.create(Nest, nest('a'))
    await store.update(Nest, { ...made, spec: { ...made.spec, eggs: 2 } })
    journal.forget(state.trim(0, state.revision), state.compacted)
    const work = Promise.withResolvers<void>()
    const steps: string[] = []
    const alone = journal.alone(() => work.promise).then(() => steps.push('alone'))
    const compacted = journal.compact().then(() => steps.push('compacted'))
    work.resolve()
    await Promise.all([alone, compacted])
    expect(steps).toEqual(['alone', 'compacted'])
    expect(journal.superseded).toBe(0)
    await store.close()
  })

  test('says so if it cannot be done any more', async () => {
    const { store, journal, disk } = await faultyWorld()
    disk.failing = true
    await store.create(Nest, nest('a')).catch(() => {})
    await expect(journal.compact()).rejects.toMatchObject({ reason: 'InternalError', cause: { reason: 'ServiceUnavailable' } })
    await store.close()
  })
})

describe('what nobody can ask for any more', () => {
  test('is cleared away while the store works, and what remains is right after a restart', async () => {
    const { folder, store, real, journal, state } = await faultyWorld({ fewest: 0, age: 0, most: 10 })
    let nests = await Promise.all(Array.from({ length: 50 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    for (let round = 0; round < 60; round++) {
      nests = await Promise.all(
        nests.map(object => store.update(Nest, { ...object, spec: { ...object.spec, eggs: (object.spec.eggs + 1) % 12 } })),
      )
    }
    for (const name of ['n1', 'n2', 'n3']) await store.delete(Nest, { namespace: 'here', name })
    expect(journal.superseded).toBeLessThan(50 * 60)
    const rows = Number(scalar(real, 'SELECT count(*) FROM revision'))
    expect(rows).toBeLessThan(50 * 60)
    expect(Number(scalar(real, "SELECT value FROM meta WHERE name = 'compacted'"))).toBeLessThanOrEqual(state.compacted)
    const expected = (await store.list(Nest)).items.map(item => item.object)
    const { revision } = state
    await store.close()
    const again = await openStore(folder)
    expect((await again.list(Nest)).items.map(item => item.object)).toEqual(expected)
    expect(again.stats().revision).toBe(revision)
    await again.compact()
    expect(again.stats()).toMatchObject({ supersededRows: 0, objects: { 'nests.demo.aviary.dev': 47 } })
    await again.close()
  })

  test('goes in such an order that no interruption brings a removed object back', async () => {
    const { folder, store, state } = await faultyWorld()
    const made = await store.create(Nest, nest('a'))
    await store.update(Nest, { ...made, spec: { ...made.spec, eggs: 2 } })
    await store.delete(Nest, { namespace: 'here', name: 'a' })
    const { revision } = state
    await store.close()
    // After each prefix of the removals that clearing away would do, the store opens without the object.
    const database = openDatabase({ folder, file: join(folder, 'aviary.db'), installation: () => 'x', migrations, log: recordingLog() })
    database.exec(`UPDATE meta SET value = '${revision}' WHERE name = 'compacted'`)
    const { superseded } = load(database, 'aviary.db', new State(allKinds, defaultWindow), 0, 10_000)
    expect(superseded).toEqual([revision - 2, revision - 1, revision])
    for (const row of superseded) {
      database.exec(`DELETE FROM revision WHERE rv = ${row}`)
      const fresh = new State(allKinds, defaultWindow)
      load(database, 'aviary.db', fresh, 0, 10_000)
      expect(fresh.collectionOf(Nest).size).toBe(0)
      expect(fresh.collectionOf(Namespace).size).toBe(1)
      expect(fresh.revision).toBe(revision)
    }
    database.close()
  })
})

test('whatever is acknowledged has been on the disk before', async () => {
  const { store, disk } = await faultyWorld()
  await store.create(Nest, nest('a'))
  expect(disk.syncs).toBe(1)
  await Promise.all(Array.from({ length: 20 }, (_, n) => store.create(Nest, nest(`n${n}`))))
  expect(disk.syncs).toBe(2)
  disk.failing = true
  await expect(store.create(Nest, nest('b'))).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
  disk.failing = false
  await expect(store.create(Nest, nest('b'))).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
  expect((await store.list(Nest)).items).toHaveLength(21)
  await store.close()
})

test('each commit is reported with the number of its changes', async () => {
  const { store, commits } = await faultyWorld()
  await Promise.all(['a', 'b', 'c'].map(name => store.create(Nest, nest(name))))
  await store.create(Nest, nest('d'))
  expect(commits.map(({ changes }) => changes)).toEqual([3, 1])
  await store.close()
})
