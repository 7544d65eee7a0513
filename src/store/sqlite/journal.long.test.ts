import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allKinds, Namespace, Nest } from '../../kinds/index.ts'
import { realClock, recordingLog, seededChance } from '../../ports/index.ts'
import { EmbeddedStore } from '../embedded/embedded-store.ts'
import { defaultWindow, type HistoryWindow } from '../embedded/history.ts'
import { State } from '../embedded/state.ts'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { connect, type Database, scalar, type Statement } from './database.ts'
import { type CommitReport, SqliteJournal } from './journal.ts'
import { load } from './load.ts'
import { DatabaseRequests } from './requests.ts'

const nest = (name: string, eggs = 1) => ({
  metadata: { namespace: 'here', name, annotations: { note: 'x'.repeat(3000) } },
  spec: { eggs, material: 'twig' as const },
})

const oneEggMore = (object: Nest) => ({ ...object, spec: { ...object.spec, eggs: (object.spec.eggs + 1) % 12 } })

/** A connection on which statements that begin with `failing` fail with a code of SQLite: by default, that an fsync failed. */
class FaultyDatabase implements Database {
  readonly #database: Database
  failing: string | undefined
  errcode = ioErrorFsync
  commits = 0

  constructor(database: Database) {
    this.#database = database
  }

  exec(sql: string): void {
    this.#mayFail(sql)
    this.#database.exec(sql)
    if (sql === 'COMMIT') this.commits++
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
    throw Object.assign(new Error(`told to fail with ${this.errcode}`), { code: 'ERR_SQLITE_ERROR', errcode: this.errcode })
  }

  backup(to: string): Promise<void> {
    return this.#database.backup(to)
  }

  close(): void {
    this.#database.close()
  }
}

const ioErrorFsync = 1034
const diskFull = 13
const busy = 5

/** A store whose database can be made to fail. The requests are performed here instead of in a thread, a little later. */
async function faultyWorld(window: Partial<HistoryWindow> = {}) {
  const folder = temporaryFolder()
  await (await openStore(folder)).close()
  const file = join(folder, 'aviary.db')
  const log = recordingLog()
  const clock = realClock()
  const real = connect(file)
  const database = new FaultyDatabase(real)
  const state = new State(allKinds, { ...defaultWindow, ...window })
  const { superseded } = load(real, file, state, 0, 10_000)
  const commits: CommitReport[] = []
  const requests = new DatabaseRequests(database, file)
  const perform = async (request: Parameters<DatabaseRequests['perform']>[0]) => {
    await new Promise<void>(resolve => realClock().soon(resolve))
    await requests.perform(request)
  }
  const journal = new SqliteJournal({
    worker: { perform, close: () => perform({ do: 'close' }) },
    file,
    clock,
    log,
    superseded,
    compacted: state.compacted,
    onCommit: commit => commits.push(commit),
  })
  const store = new EmbeddedStore({ state, clock, chance: seededChance(1), journal, schedule: flush => clock.soon(flush) })
  return { folder, file, store, database, real, log, commits, journal, state }
}

const names = async (store: Pick<EmbeddedStore, 'list'>) => (await store.list(Nest)).items.map(item => item.object.metadata.name)
const messages = (log: ReturnType<typeof recordingLog>) => log.lines.map(line => line.message)

describe.each([
  { what: 'a full disk', errcode: diskFull, problem: 'the disk of the data folder is full', fix: 'free space' },
  {
    what: 'a database that another program has locked',
    errcode: busy,
    problem: 'another program has locked the database',
    fix: 'end the program',
  },
])('$what', ({ errcode, problem, fix }) => {
  const refused = { reason: 'ServiceUnavailable', message: `${problem}: nothing was written`, fix: expect.stringContaining(fix) }

  test.each(['BEGIN', 'INSERT', 'COMMIT'])('at %s refuses writes, loses nothing, and accepts them again later', async failing => {
    const { folder, store, database, log, journal } = await faultyWorld()
    for (const name of ['a', 'b']) await store.create(Nest, nest(name))
    Object.assign(database, { errcode, failing })
    const results = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    results.push(
      await store.create(Nest, nest('later')).then(
        value => ({ status: 'fulfilled', value }),
        reason => ({ status: 'rejected', reason }),
      ),
    )
    for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: refused })
    await expect(journal.checkWritable()).rejects.toMatchObject(refused)
    expect(journal.failure).toBeUndefined()
    expect(await names(store)).toEqual(['a', 'b'])

    database.failing = undefined
    await store.create(Nest, nest('after'))
    await journal.checkWritable()
    // Logged once, however many writes were refused, and once more at the end.
    expect(messages(log)).toEqual([`${problem}: writes are refused`, 'writes are accepted again'])
    await store.close()
    const again = await openStore(folder)
    expect(await names(again)).toEqual(['a', 'after', 'b'])
    await again.close()
  })
})

test('a database that cannot grow refuses writes until it can', async () => {
  const { folder, store, real, journal } = await faultyWorld()
  real.exec(`PRAGMA max_page_count = ${Number(scalar(real, 'PRAGMA page_count')) + 20}`)
  const kept: string[] = []
  for (let n = 100; n < 200; n++)
    await store.create(Nest, nest(`n${n}`)).then(
      ({ metadata }) => kept.push(metadata.name),
      () => {},
    )
  expect(kept.length).toBeGreaterThan(10)
  expect(kept.length).toBeLessThan(100)
  expect(journal.failure).toBeUndefined()
  real.exec('PRAGMA max_page_count = 1000000')
  kept.push((await store.create(Nest, nest('z'))).metadata.name)
  await store.close()
  const again = await openStore(folder)
  expect(await names(again)).toEqual(kept)
  await again.close()
})

describe('a disk that fails', () => {
  const refused = { reason: 'ServiceUnavailable', message: expect.stringContaining('failed'), fix: expect.stringContaining('restart') }

  test.each(
    ['INSERT', 'COMMIT'].flatMap(failing => [
      { failing, how: 'one', together: 1 },
      { failing, how: 'many', together: 20 },
    ]),
  )(
    'at $failing of what $how wrote: writes are refused until the next start, which finds all of it or nothing',
    async ({ failing, together }) => {
      const { folder, store, database, journal, log } = await faultyWorld()
      await store.create(Nest, nest('before'))
      database.failing = failing
      const lost = await Promise.allSettled(Array.from({ length: together }, (_, n) => store.create(Nest, nest(`lost-${n}`))))
      for (const result of lost) expect(result).toMatchObject({ status: 'rejected', reason: refused })
      database.failing = undefined
      await expect(store.create(Nest, nest('later'))).rejects.toMatchObject(refused)
      await expect(journal.checkWritable()).rejects.toMatchObject(refused)
      expect(journal.failure).toMatchObject(refused)
      expect(messages(log)).toEqual(['the disk failed: writes are refused until the next start'])
      expect(await names(store)).toEqual(['before'])
      await store.close()
      const again = await openStore(folder)
      expect([1, 1 + together]).toContain((await names(again)).length)
      await again.create(Nest, nest('after'))
      await again.close()
    },
  )

  test('while it returns free space is logged, and writes go on', async () => {
    const { store, database, journal, log } = await faultyWorld({ fewest: 0, age: 0, most: 1 })
    let nests = await Promise.all(Array.from({ length: 60 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    const vacuum = { exec: database.exec.bind(database), prepare: database.prepare.bind(database) }
    database.prepare = sql =>
      sql === 'PRAGMA freelist_count' ? { ...vacuum.prepare(sql), rows: () => [[1_000_000]] } : vacuum.prepare(sql)
    database.failing = 'PRAGMA incremental_vacuum'
    for (let round = 0; round < 20; round++) nests = await Promise.all(nests.map(object => store.update(Nest, oneEggMore(object))))
    expect(new Set(messages(log))).toEqual(new Set(['free space was not returned to the file system']))
    expect(journal.failure).toBeUndefined()
    await store.close()
  })
})

describe('whether writes are accepted', () => {
  test('is asked of the disk at most every five seconds, and not at all while writes tell', async () => {
    const { store, database, journal } = await faultyWorld()
    await store.create(Nest, nest('a'))
    const { commits } = database
    await Promise.all([journal.checkWritable(), journal.checkWritable()])
    expect(database.commits).toBe(commits)
    await store.close()
  })

  test('is found out without a write, and again when the disk has space', async () => {
    const { store, database, journal } = await faultyWorld()
    Object.assign(database, { errcode: diskFull, failing: 'UPDATE' })
    await expect(Promise.all([journal.checkWritable(), journal.checkWritable()])).rejects.toMatchObject({
      fix: expect.stringContaining('free space'),
    })
    database.failing = undefined
    await store.create(Nest, nest('a'))
    await journal.checkWritable()
    await store.close()
  })
})

describe('superseded rows', () => {
  test('are removed while the store works, and what remains is right after a restart', async () => {
    const { folder, store, real, journal, state } = await faultyWorld({ fewest: 0, age: 0, most: 10 })
    let nests = await Promise.all(Array.from({ length: 50 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    for (let round = 0; round < 60; round++) {
      nests = await Promise.all(nests.map(object => store.update(Nest, oneEggMore(object))))
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
    expect(again.stats()).toMatchObject({ objects: { 'nests.demo.aviary.dev': 47 } })
    await again.close()
  })

  test('go in such an order that no interruption brings a removed object back', async () => {
    const { file, store, state } = await faultyWorld()
    const made = await store.create(Nest, nest('a'))
    await store.update(Nest, { ...made, spec: { ...made.spec, eggs: 2 } })
    await store.delete(Nest, { namespace: 'here', name: 'a' })
    const { revision } = state
    await store.close()
    // After each prefix of the removals that clearing away would do, the store opens without the object.
    const database = connect(file)
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

test('writes that wait together share one commit, and none is answered before it', async () => {
  const { store, database } = await faultyWorld()
  const { commits } = database
  await store.create(Nest, nest('a'))
  expect(database.commits).toBe(commits + 1)
  await Promise.all(Array.from({ length: 20 }, (_, n) => store.create(Nest, nest(`n${n}`))))
  expect(database.commits).toBe(commits + 2)
  await store.close()
})

test('each commit is reported with the number of its changes', async () => {
  const { store, commits } = await faultyWorld()
  await Promise.all(['a', 'b', 'c'].map(name => store.create(Nest, nest(name))))
  await store.create(Nest, nest('d'))
  expect(commits.map(({ changes }) => changes)).toEqual([3, 1])
  await store.close()
})
