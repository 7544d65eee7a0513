import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allKinds, Namespace, Nest } from '../../kinds/index.ts'
import { realClock, recordingLog, seededChance } from '../../ports/index.ts'
import { EmbeddedStore } from '../embedded/embedded-store.ts'
import { defaultWindow, type HistoryWindow } from '../embedded/history.ts'
import { State } from '../embedded/state.ts'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { CommitLog } from './commits/commit-log.ts'
import { type Disk, realDisk } from './commits/disk.ts'
import { type Database, scalar, type SqliteDatabase, type Statement } from './database.ts'
import { migrations } from './format.ts'
import { load } from './load.ts'
import { openDatabase } from './open-database.ts'
import { performRequest } from './perform-request.ts'
import { RevisionLog } from './revision-log.ts'
import { type Commit, type Keeper, SqliteJournal } from './sqlite-journal.ts'

const nest = (name: string, eggs = 1) => ({
  metadata: { namespace: 'here', name, annotations: { note: 'x'.repeat(3000) } },
  spec: { eggs, material: 'twig' as const },
})

const oneEggMore = (object: Nest) => ({ ...object, spec: { ...object.spec, eggs: (object.spec.eggs + 1) % 12 } })

/** A database on which the next statement that begins with `failing` fails with SQLite's code, as if the disk had if not told else. */
class FaultyDatabase implements Database {
  readonly #database: Database
  failing: string | undefined
  errcode = 1034

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
    throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: this.errcode })
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
    async do(request) {
      await new Promise<void>(resolve => realClock().soon(resolve))
      return performRequest(request, database, log)
    },
    async stop() {},
  }
}

/** A disk for the log that counts, and fails when it is told to. */
class FaultyDisk implements Disk {
  syncs = 0
  failing: { readonly at: 'write' | 'sync'; readonly code: string } | undefined
  /** What gets through of a write that fails: nothing, or all but its last byte, which on a new segment makes it whole. */
  through: 'nothing' | 'nearly all' = 'nothing'
  /** Syncs in the background wait for this. */
  gate: Promise<void> = Promise.resolve()

  write(descriptor: number, bytes: Buffer, position: number): void {
    if (this.failing?.at === 'write' && this.through === 'nearly all') {
      realDisk.write(descriptor, bytes.subarray(0, -1), position)
      // What is there already takes no more room.
      if (bytes.every(byte => byte === 0)) return
    }
    this.#mayFail('write')
    realDisk.write(descriptor, bytes, position)
  }

  sync(descriptor: number): void {
    this.#mayFail('sync')
    this.syncs++
    realDisk.sync(descriptor)
  }

  async syncLater(descriptor: number): Promise<void> {
    await this.gate
    this.sync(descriptor)
  }

  #mayFail(at: 'write' | 'sync'): void {
    if (this.failing?.at === at) throw Object.assign(new Error(`${this.failing.code}: told to fail`), { code: this.failing.code })
  }
}

/** A store whose disk can be made to fail, under its log and under its database. */
async function faultyWorld(window: Partial<HistoryWindow> = {}, keeper: (database: Database) => Keeper = keeperOn) {
  const folder = temporaryFolder()
  await (await openStore(folder)).close()
  const file = join(folder, 'aviary.db')
  const log = recordingLog()
  const clock = realClock()
  const real: SqliteDatabase = openDatabase({ folder, file, installation: () => 'x', migrations, log })
  const database = new FaultyDatabase(real)
  const state = new State(allKinds, { ...defaultWindow, ...window })
  const { superseded, installation } = load(real, file, state, 0, 10_000)
  const commits: Commit[] = []
  const disk = new FaultyDisk()
  const journal = new SqliteJournal({
    database,
    commits: new CommitLog({ database: file, installation, disk }),
    file,
    clock,
    log,
    superseded,
    revision: state.revision,
    compacted: state.compacted,
    onCommit: commit => commits.push(commit),
    keeper: () => keeper(database),
  })
  const store = new EmbeddedStore({ state, clock, chance: seededChance(1), journal, schedule: flush => clock.soon(flush) })
  return { folder, store, database, real, log, commits, journal, state, disk }
}

const names = async (store: Pick<EmbeddedStore, 'list'>) => (await store.list(Nest)).items.map(item => item.object.metadata.name)

const full = {
  status: 'rejected',
  reason: { reason: 'ServiceUnavailable', message: expect.stringContaining('full'), fix: expect.stringContaining('free space') },
}
const toldOfFull = ['the disk of the data folder is full: writes are refused', 'writes are taken again']

describe('a full disk', () => {
  test.each(['nothing', 'nearly all'] as const)(
    'that takes %s refuses writes, loses nothing, and takes them again later',
    async through => {
      const { folder, store, disk, log, journal } = await faultyWorld()
      for (const name of ['a', 'b', 'c']) await store.create(Nest, nest(name))
      // What comes next is written over old commits.
      await journal.settle()
      await store.create(Nest, nest('before'))
      disk.failing = { at: 'write', code: 'ENOSPC' }
      disk.through = through
      const results = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => store.create(Nest, nest(`n${n}`))))
      results.push(...(await Promise.allSettled([1, 2, 3, 4, 5].map(n => store.create(Nest, nest(`few-${n}`))))))
      for (const result of results) expect(result).toMatchObject(full)
      expect(await names(store)).toEqual(['a', 'b', 'before', 'c'])

      disk.failing = undefined
      await store.create(Nest, nest('after'))
      // However many writes were refused, the log tells of it once, and of the end.
      expect(log.lines.map(line => line.message)).toEqual(toldOfFull)
      await store.close()
      const again = await openStore(folder)
      expect(await names(again)).toEqual(['a', 'after', 'b', 'before', 'c'])
      await again.close()
    },
  )

  test('on which the database cannot grow: writes go on while the log has room, and everything acknowledged lasts', async () => {
    let attempts = 0
    const { folder, store, real, log, journal } = await faultyWorld({}, database => {
      const keeper = keeperOn(database)
      return { ...keeper, do: request => (attempts++, keeper.do(request)) }
    })
    real.exec(`PRAGMA max_page_count = ${Number(scalar(real, 'PRAGMA page_count'))}`)
    const annotations = { note: 'x'.repeat(250_000) }
    const large = (name: string) => store.create(Nest, { ...nest(name), metadata: { namespace: 'here', name, annotations } })
    const kept: string[] = []
    const refused: PromiseSettledResult<Nest>[] = []
    for (let round = 10; refused.length === 0 && round < 60; round++) {
      const results = await Promise.allSettled([1, 2, 3, 4].map(n => large(`n${round}-${n}`)))
      kept.push(...results.flatMap(result => (result.status === 'fulfilled' ? [result.value.metadata.name] : [])))
      refused.push(...results.filter(result => result.status === 'rejected'))
    }
    for (const result of refused) expect(result).toMatchObject(full)
    expect(refused.length).toBeGreaterThan(0)
    // Four segments of 8 MB, and what is in the one after them.
    expect(kept.length).toBeGreaterThan(4 * 31)
    // Not with every commit: once for each segment, and for those who were refused.
    expect(attempts).toBeLessThanOrEqual(4 + refused.length)
    expect(journal.failed).toBe(false)

    real.exec('PRAGMA max_page_count = 1000000')
    kept.push((await large('after')).metadata.name)
    expect(log.lines.map(line => line.message)).toEqual([
      'commits cannot be moved into the database for now; they are safe in the log beside it',
      ...toldOfFull,
    ])
    await store.close()
    const again = await openStore(folder)
    expect(await names(again)).toEqual(expect.arrayContaining(kept))
    await again.close()
  })
})

describe('a disk that fails', () => {
  const refused = { reason: 'ServiceUnavailable', message: expect.stringContaining('failed'), fix: expect.stringContaining('restart') }

  const ways = [
    { how: 'one', together: 1 },
    { how: 'many', together: 20 },
  ]

  test.each(ways)('when $how write: writes are refused until the next start, nothing unacknowledged is there', async ({ together }) => {
    const { folder, store, disk, journal } = await faultyWorld()
    await store.create(Nest, nest('before'))
    disk.failing = { at: 'write', code: 'EIO' }
    disk.through = 'nearly all'
    const lost = await Promise.allSettled(Array.from({ length: together }, (_, n) => store.create(Nest, nest(`lost-${n}`))))
    for (const result of lost) expect(result).toMatchObject({ status: 'rejected', reason: refused })
    disk.failing = undefined
    await expect(store.create(Nest, nest('later'))).rejects.toMatchObject(refused)
    expect(journal.failed).toBe(true)
    expect(await names(store)).toEqual(['before'])
    await store.close()
    const again = await openStore(folder)
    expect(await names(again)).toEqual(['before'])
    await again.create(Nest, nest('after'))
    await again.close()
  })

  // Network file systems find out when they sync that there is no room.
  test.each(ways.flatMap(way => ['EIO', 'ENOSPC'].map(code => ({ ...way, code }))))(
    'when it syncs what $how wrote ($code): no revision is used twice, and the next start finds all of it or nothing',
    async ({ together, code }) => {
      const { folder, store, disk, journal } = await faultyWorld()
      await store.create(Nest, nest('before'))
      disk.failing = { at: 'sync', code }
      const lost = await Promise.allSettled(Array.from({ length: together }, (_, n) => store.create(Nest, nest(`lost-${n}`))))
      for (const result of lost) expect(result).toMatchObject({ status: 'rejected', reason: refused })
      disk.failing = undefined
      await expect(store.create(Nest, nest('later'))).rejects.toMatchObject(refused)
      expect(journal.failed).toBe(true)
      await store.close()
      const again = await openStore(folder)
      expect([1, 1 + together]).toContain((await names(again)).length)
      await again.create(Nest, nest('after'))
      await again.close()
    },
  )

  test('under the database: writes are refused, and the next start finds in the log what was acknowledged', async () => {
    const { folder, store, database, journal } = await faultyWorld()
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    database.failing = 'INSERT'
    await expect(journal.settle()).rejects.toMatchObject(refused)
    await expect(store.create(Nest, nest('later'))).rejects.toMatchObject(refused)
    await store.close()
    const again = await openStore(folder)
    expect(await names(again)).toHaveLength(20)
    await again.close()
  })

  test('while clearing away harms nobody: it is tried again later', async () => {
    const { store, database, journal, log } = await faultyWorld({ fewest: 0, age: 0, most: 1 })
    let nests = await Promise.all(Array.from({ length: 60 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    const changeAll = async () => {
      nests = await Promise.all(nests.map(object => store.update(Nest, oneEggMore(object))))
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
  test('moves what is in the log first, for it may be what is to go', async () => {
    const { store, journal, state, real } = await faultyWorld()
    const made = await store.create(Nest, nest('a'))
    await store.update(Nest, { ...made, spec: { ...made.spec, eggs: 2 } })
    expect(scalar(real, 'SELECT max(rv) FROM revision')).toBeLessThan(state.revision)
    journal.forget(state.trim(0, state.revision), state.compacted)
    await journal.compact()
    expect(scalar(real, 'SELECT max(rv) FROM revision')).toBe(state.revision)
    expect(scalar(real, `SELECT count(*) FROM revision WHERE rv = ${made.metadata.resourceVersion}`)).toBe(0)
    expect(journal).toMatchObject({ superseded: 0, logBytes: 0 })
    await store.close()
  })

  test('holds up nobody who writes, however long it takes', async () => {
    let vacuuming = true
    const { store, journal } = await faultyWorld({}, database => {
      const keeper = keeperOn(database)
      return { ...keeper, do: async request => (await keeper.do(request)) || (request.do === 'vacuum' && vacuuming) }
    })
    const compacted = journal.compact()
    const annotations = { note: 'x'.repeat(250_000) }
    // More than the log may hold.
    for (let round = 0; round < 24; round++) {
      await Promise.all(
        [1, 2, 3, 4, 5, 6, 7, 8].map(n =>
          store.create(Nest, { metadata: { namespace: 'here', name: `n${round}-${n}`, annotations }, spec: {} }),
        ),
      )
    }
    expect(await names(store)).toHaveLength(24 * 8)
    vacuuming = false
    await compacted
    await store.close()
  })

  test('says so if it cannot be done any more', async () => {
    const { store, journal, disk } = await faultyWorld()
    disk.failing = { at: 'sync', code: 'EIO' }
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
    await again.compact()
    expect(again.stats()).toMatchObject({ supersededRows: 0, objects: { 'nests.demo.aviary.dev': 47 } })
    await again.close()
  })

  test('takes nothing with it that was never changed and is only in the log yet', async () => {
    const { folder, store, journal } = await faultyWorld({ fewest: 0, age: 0, most: 1 })
    await store.create(Nest, nest('never-changed'))
    let nests = await Promise.all(Array.from({ length: 60 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    for (let round = 0; round < 36; round++) nests = await Promise.all(nests.map(object => store.update(Nest, oneEggMore(object))))
    await journal.settle()
    expect(journal.superseded).toBeLessThan(2000)
    await store.close()
    const again = await openStore(folder)
    expect(await names(again)).toHaveLength(61)
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
  disk.failing = { at: 'sync', code: 'EIO' }
  await expect(store.create(Nest, nest('b'))).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
  disk.failing = undefined
  await expect(store.create(Nest, nest('b'))).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
  expect((await store.list(Nest)).items).toHaveLength(21)
  await store.close()
})

test('a write for which no file can be opened is refused, and the next one is not', async () => {
  const { store, disk, log } = await faultyWorld()
  disk.failing = { at: 'write', code: 'EMFILE' }
  await expect(store.create(Nest, nest('a'))).rejects.toMatchObject({
    reason: 'ServiceUnavailable',
    fix: expect.stringContaining('ulimit'),
  })
  disk.failing = undefined
  await store.create(Nest, nest('b'))
  expect(log.lines.map(line => line.message)).toEqual(['too many files are open: writes are refused', 'writes are taken again'])
  await store.close()
})

test('while somebody else has the database locked writes go on, and small commits do not use up the room of the log', async () => {
  const { folder, store, database, journal } = await faultyWorld()
  database.errcode = 5
  for (let n = 0; n < 10; n++) {
    database.failing = 'BEGIN'
    await store.create(Nest, nest(`n${n}`))
    await expect(journal.settle()).rejects.toMatchObject({ reason: 'ServiceUnavailable', fix: expect.stringContaining('locked') })
  }
  database.failing = undefined
  await journal.settle()
  expect(journal.failed).toBe(false)
  await store.close()
  const again = await openStore(folder)
  expect(await names(again)).toHaveLength(10)
  await again.close()
})

test('what is moved while its sync is under way does not lose its file', async () => {
  const { store, journal, disk, real } = await faultyWorld()
  const burst = (count: number, note: string) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        store.create(Nest, { ...nest(`${note[0]}${n}`), metadata: { namespace: 'here', name: `${note[0]}${n}`, annotations: { note } } }),
      ),
    )
  // Segments that are moved, of which two stay to be written anew, and one that is being written.
  await burst(70, 'x'.repeat(250_000))
  await expect.poll(() => scalar(real, 'SELECT count(*) FROM revision')).toBeGreaterThan(50)
  const opened = Promise.withResolvers<void>()
  disk.gate = opened.promise
  const written = burst(8, 'y')
  await new Promise<void>(resolve => realClock().after(20, resolve))
  await journal.settle()
  opened.resolve()
  expect(await written).toHaveLength(8)
  expect(journal.failed).toBe(false)
  await store.close()
})

test('a keeper that ends before it could tell what it did gets a successor, and nothing is lost or done twice', async () => {
  let keepers = 0
  const { folder, store, journal, log, real } = await faultyWorld({}, database => {
    const keeper = keeperOn(database)
    if (++keepers > 1) return keeper
    let ended = false
    return {
      get ended() {
        return ended
      },
      async do(request) {
        await keeper.do(request)
        ended = true
        throw new Error('the thread has ended')
      },
      stop: keeper.stop,
    }
  })
  await store.create(Nest, nest('a'))
  await expect(journal.settle()).rejects.toMatchObject({ reason: 'ServiceUnavailable', details: { retryAfterSeconds: 10 } })
  await store.create(Nest, nest('b'))
  await journal.settle()
  expect(keepers).toBe(2)
  expect(journal.failed).toBe(false)
  expect(log.lines.map(line => line.message)).toEqual([expect.stringContaining('safe in the log')])
  expect(scalar(real, "SELECT count(*) FROM revision WHERE kind LIKE 'nests%'")).toBe(2)
  await store.close()
  const again = await openStore(folder)
  expect(await names(again)).toEqual(['a', 'b'])
  await again.close()
})

test('each commit is reported with the number of its changes', async () => {
  const { store, commits } = await faultyWorld()
  await Promise.all(['a', 'b', 'c'].map(name => store.create(Nest, nest(name))))
  await store.create(Nest, nest('d'))
  expect(commits.map(({ changes }) => changes)).toEqual([3, 1])
  await store.close()
})
