import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import type { Failure } from '../../ports/index.ts'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

const nest = (name: string) => ({
  metadata: { namespace: 'here', name, annotations: { note: 'x'.repeat(3000) } },
  spec: { eggs: 1, material: 'twig' as const },
})

/** A folder with a store in it that holds some objects, closed. */
async function filledFolder(objects = 50): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = temporaryFolder()
  const store = await openStore(folder)
  await Promise.all(Array.from({ length: objects }, (_, n) => store.create(Nest, nest(`n${n}`))))
  await store.close()
  return { folder, file: join(folder, 'aviary.db') }
}

/** Why a folder cannot be opened. Fails if it can, or if the database is not left exactly as it was. */
async function refusalToOpen(folder: string): Promise<Failure> {
  const before = files(folder)
  const error = await openStore(folder).then(
    () => undefined,
    (reason: Failure) => reason,
  )
  expect(error, 'it opened').toBeDefined()
  expect(files(folder)).toEqual(before)
  return error!
}

/** Every file of a database with its length and checksum, without locks, SQLite's shared memory, and an empty log. */
function files(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter(name => name.startsWith('aviary.db') && !name.endsWith('-shm'))
  const contents = names.map(name => [name, readFileSync(join(folder, name))] as const)
  const kept = contents.filter(([name, { length }]) => length > 0 || !name.endsWith('-wal'))
  return Object.fromEntries(kept.map(([name, bytes]) => [name, `${bytes.length} bytes, ${crc32(bytes)}`]))
}

describe('a data folder', () => {
  test('belongs to one process: a second opening is refused, and says who has it', async () => {
    const { folder } = await filledFolder()
    const store = await openStore(folder)
    await expect(openStore(folder)).rejects.toMatchObject({
      code: 'STORE_FOLDER_IN_USE',
      message: expect.stringMatching(new RegExp(`^data folder ${folder} is in use by process ${process.pid} on `)),
    })
    expect((await store.list(Nest)).items).toHaveLength(50)
    await store.close()
    await (await openStore(folder)).close()
  })

  test('that is in use by another process is refused, and free again when that is killed', async () => {
    const { folder } = await filledFolder()
    const lock = new URL('lock.ts', import.meta.url).href
    const script = `const { lockFolder } = await import(${JSON.stringify(lock)}); globalThis.lock = lockFolder(process.argv[1]); console.log('locked'); setInterval(() => {}, 1000)`
    const child = execFile(process.execPath, ['--input-type=module', '-e', script, folder])
    onTestFinished(() => void child.kill('SIGKILL'))
    await new Promise(resolve => child.stdout!.once('data', resolve))
    const error = await refusalToOpen(folder)
    expect(error.message).toContain(`process ${child.pid}`)
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    await (await openStore(folder)).close()
  })

  test('that cannot be written to is refused', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'closed'))
    chmodSync(folder, 0o755)
    chmodSync(join(folder, 'closed'), 0o555)
    const lock = fileURLToPath(new URL('lock.ts', import.meta.url))
    // The superuser may write anywhere: another user has to try, who in turn may not be able to read this program's files.
    const script = `import(process.argv[2])
      .then(({ lockFolder }) => {
        if (process.getuid?.() === 0) [process.setgid(65534), process.setuid(65534)]
        return lockFolder(process.argv[1])
      })
      .catch(error => console.log(error.code + ': ' + error.message))`
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, join(folder, 'closed'), lock])
    expect(stdout).toMatch(/^STORE_FOLDER_NOT_WRITABLE: cannot write to data folder .*closed/)
  })

  test('that nobody can make is refused, not tried for ever', async () => {
    await expect(openStore('/proc/nope/data')).rejects.toMatchObject({ code: 'STORE_FOLDER_NOT_WRITABLE' })
  })

  test('on whose disk there is no room is refused', async () => {
    const folder = temporaryFolder()
    // Takes nothing, as a full disk does.
    symlinkSync('/dev/full', join(folder, 'lock.owner'))
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'STORE_FOLDER_FULL', fix: expect.stringContaining('free space') })
    expect(readdirSync(folder).toSorted()).toEqual(['lock', 'lock.owner'])
  })

  test('that is a file is refused', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), 'hello')
    for (const path of ['file', 'file/below']) {
      const refused = { code: 'STORE_FOLDER_NOT_WRITABLE', message: expect.stringContaining('a file is in its place') as string }
      await expect(openStore(join(folder, path))).rejects.toMatchObject(refused)
    }
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('hello')
  })

  test('is made if it is missing, for its owner only', async () => {
    const folder = join(temporaryFolder(), 'a', 'b')
    const store = await openStore(folder)
    for (const name of ['aviary.db', 'aviary.db-wal']) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    await store.close()
  })
})

describe('a database file', () => {
  test('that is not a database is refused', async () => {
    const { folder, file } = await filledFolder()
    writeFileSync(file, 'this is no database, and long enough to look at it twice '.repeat(10))
    expect(await refusalToOpen(folder)).toMatchObject({ code: 'STORE_DATABASE_DAMAGED', fix: expect.stringContaining('backup') })
  })

  test('that is empty is refused, for a store never leaves one', async () => {
    const { folder, file } = await filledFolder()
    truncateSync(file, 0)
    expect((await refusalToOpen(folder)).message).toContain('it is empty')
  })

  test('that was cut off is refused', async () => {
    const { folder, file } = await filledFolder(200)
    truncateSync(file, 8192 * 20)
    expect(await refusalToOpen(folder)).toMatchObject({ code: 'STORE_DATABASE_DAMAGED' })
  })

  test('in which anything at all was overwritten is refused or still whole, never read wrongly', async () => {
    const { folder, file } = await filledFolder(60)
    const whole = readFileSync(file)
    const store = await openStore(folder)
    const expected = (await store.list(Nest)).items.map(item => item.json)
    await store.close()
    let refused = 0
    for (let at = 100; at < whole.length; at += 4099) {
      const damaged = Buffer.from(whole)
      damaged.write('#!garbage!#', at)
      writeFileSync(file, damaged)
      try {
        const opened = await openStore(folder)
        expect((await opened.list(Nest)).items.map(item => item.json)).toEqual(expected)
        await opened.close()
      } catch (error) {
        expect((error as Failure).code).toBe('STORE_DATABASE_DAMAGED')
        refused++
      }
    }
    expect(refused).toBeGreaterThan(10)
  })

  test('of another program is refused', async () => {
    const folder = temporaryFolder()
    const other = new DatabaseSync(join(folder, 'aviary.db'))
    other.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)')
    other.close()
    expect(await refusalToOpen(folder)).toMatchObject({ code: 'STORE_DATABASE_FOREIGN' })
  })

  test('of a newer version is refused', async () => {
    const { folder, file } = await filledFolder()
    const database = new DatabaseSync(file)
    database.exec('PRAGMA user_version = 99')
    database.close()
    expect(await refusalToOpen(folder)).toMatchObject({ code: 'STORE_DATABASE_TOO_NEW', details: { format: 99 } })
  })

  test('beside which lies the log of another one is refused before the two are mixed', async () => {
    const { folder, file } = await filledFolder()
    const store = await openStore(folder)
    await store.backup(join(folder, 'copy.db'))
    await store.close()
    copyFileSync(join(folder, 'copy.db'), file)
    writeFileSync(`${file}-wal`, 'the log of the store that was here before')
    const { message } = await refusalToOpen(folder)
    expect(message).toContain('belongs to another database; move both away')
    // What was acknowledged last may be in that log and nowhere else.
    expect(message).not.toContain('remove')
  })

  test.each([0, -1])('whose user_version is %i, which no version writes, is refused', async version => {
    const { folder, file } = await filledFolder()
    const database = new DatabaseSync(file)
    database.exec(`PRAGMA user_version = ${version}`)
    database.close()
    expect(await refusalToOpen(folder)).toMatchObject({
      code: 'STORE_DATABASE_DAMAGED',
      message: expect.stringContaining(`${file} is damaged: its format (PRAGMA user_version) is ${version}`),
    })
  })

  test.each([
    ['DROP TABLE revision', 'its table revision is missing'],
    ['DROP TABLE meta', 'its table meta is missing'],
    ['ALTER TABLE revision DROP COLUMN checksum', 'its table revision lacks the column checksum'],
    ['DELETE FROM meta', 'its table meta is incomplete'],
    ["UPDATE meta SET value = 'x' WHERE name = 'compacted'", 'its table meta is incomplete'],
    ["UPDATE revision SET body = x'00' WHERE rv = 3", 'revision 3, which holds nests.demo.aviary.dev here/n0, is not what was written'],
  ])('on which somebody ran %s is refused', async (sql, why) => {
    const { folder, file } = await filledFolder()
    const database = new DatabaseSync(file)
    database.exec(sql)
    database.close()
    expect(await refusalToOpen(folder)).toMatchObject({
      code: 'STORE_DATABASE_DAMAGED',
      message: `database ${file} is damaged: ${why}`,
      fix: expect.stringContaining('backup'),
    })
  })

  test('of which any page is zeroed is refused with its name, or still whole', async () => {
    const { folder, file } = await filledFolder(60)
    const whole = readFileSync(file)
    let refused = 0
    for (let at = 0; at < whole.length; at += 8192) {
      writeFileSync(file, Buffer.concat([whole.subarray(0, at), Buffer.alloc(8192), whole.subarray(at + 8192)]))
      try {
        const opened = await openStore(folder)
        expect((await opened.list(Nest)).items).toHaveLength(60)
        await opened.close()
      } catch (error) {
        expect(error).toMatchObject({
          code: 'STORE_DATABASE_DAMAGED',
          message: expect.stringContaining(file),
          fix: expect.stringContaining('backup'),
        })
        refused++
      }
    }
    expect(refused).toBeGreaterThan(10)
  })

  test('that is gone while its log is there is not replaced by an empty one', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'aviary.db-wal'), 'what was acknowledged last')
    expect(await refusalToOpen(folder)).toMatchObject({ code: 'STORE_DATABASE_DAMAGED' })
  })

  test('whose making was interrupted is made again', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'aviary.db.new'), 'half of a')
    const store = await openStore(folder)
    await store.create(Nest, nest('a'))
    await store.close()
    expect(existsSync(join(folder, 'aviary.db.new'))).toBe(false)
  })
})

/** What a killed process leaves: a database and a write-ahead log with all that was acknowledged, copied from a running store. */
async function killedFolder(objects: number): Promise<{ readonly folder: string; readonly file: string; readonly revision: number }> {
  const from = temporaryFolder()
  const folder = temporaryFolder()
  const store = await openStore(from)
  for (let n = 0; n < objects; n++) await store.create(Nest, nest(`n${String(n).padStart(3, '0')}`))
  for (const name of readdirSync(from).filter(each => each.startsWith('aviary.db') && !each.endsWith('-shm'))) {
    copyFileSync(join(from, name), join(folder, name))
  }
  const { revision } = store.stats()
  await store.close()
  return { folder, file: join(folder, 'aviary.db'), revision }
}

describe('a write-ahead log', () => {
  test('that a killed process left is recovered', async () => {
    const { folder, revision } = await killedFolder(40)
    const store = await openStore(folder)
    expect((await store.list(Nest)).items).toHaveLength(40)
    expect(store.stats().revision).toBe(revision)
    await store.close()
  })

  const flip = (wal: string, at: number) => {
    const bytes = readFileSync(wal)
    bytes[at] = bytes[at]! ^ 1
    writeFileSync(wal, bytes)
  }
  const damages: readonly (readonly [string, (wal: string) => void])[] = [
    ['deleted', wal => rmSync(wal)],
    ['emptied', wal => truncateSync(wal, 0)],
    ['truncated to its header', wal => truncateSync(wal, 32)],
    ['truncated in the middle', wal => truncateSync(wal, Math.floor(statSync(wal).size / 2))],
    ['truncated by one byte', wal => truncateSync(wal, statSync(wal).size - 1)],
    ['changed by one bit in the middle', wal => flip(wal, Math.floor(statSync(wal).size / 2))],
    ['changed by one bit in its last page', wal => flip(wal, statSync(wal).size - 100)],
    ['changed by one bit in its header', wal => flip(wal, 17)],
  ]
  test.each(damages)('that was %s is noticed: the store is refused, the files stay as they are', async (_, damage) => {
    const { folder, file, revision } = await killedFolder(40)
    damage(`${file}-wal`)
    expect(await refusalToOpen(folder)).toMatchObject({
      code: 'STORE_DATABASE_BEHIND',
      message: expect.stringMatching(
        new RegExp(`^database ${file} ends at revision \\d+, but revision ${revision} was acknowledged: its write-ahead log ${file}-wal `),
      ),
      fix: expect.stringContaining(`create an empty file ${join(folder, 'accept-data-loss')}`),
    })
  })

  test('that is lost can be done without, once that is confirmed; no revision is used twice', async () => {
    const { folder, file, revision } = await killedFolder(40)
    truncateSync(`${file}-wal`, Math.floor(statSync(`${file}-wal`).size / 2))
    writeFileSync(join(folder, 'accept-data-loss'), '')
    const store = await openStore(folder)
    const { length } = (await store.list(Nest)).items
    expect(length).toBeGreaterThan(0)
    expect(length).toBeLessThan(40)
    const made = await store.create(Nest, nest('after'))
    expect(Number(made.metadata.resourceVersion)).toBeGreaterThan(revision)
    await store.close()
    expect(existsSync(join(folder, 'accept-data-loss'))).toBe(false)
    await (await openStore(folder)).close()
  })

  test('is not missed after a power cut, which may lose the file with the acknowledged revision', async () => {
    for (const left of ['', '\0'.repeat(64), 'revision 00000']) {
      const { folder, file } = await killedFolder(3)
      writeFileSync(`${file}-acknowledged`, left)
      const store = await openStore(folder)
      expect((await store.list(Nest)).items).toHaveLength(3)
      await store.close()
    }
  })

  test('is not missed by a backup that replaces the database of a stopped store', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    await store.backup(join(folder, 'copy.db'))
    const later = await store.create(Nest, nest('later'))
    await store.close()
    copyFileSync(join(folder, 'copy.db'), join(folder, 'aviary.db'))
    const restored = await openStore(folder)
    expect((await restored.list(Nest)).items).toHaveLength(0)
    expect(restored.stats().revision).toBeGreaterThan(Number(later.metadata.resourceVersion))
    await restored.close()
  })

  test('of an older copy of the database is missed: revisions would go backwards', async () => {
    const { folder, file } = await filledFolder()
    copyFileSync(file, join(folder, 'older'))
    const store = await openStore(folder)
    await store.create(Nest, nest('later'))
    await store.close()
    copyFileSync(join(folder, 'older'), file)
    expect(await refusalToOpen(folder)).toMatchObject({ code: 'STORE_DATABASE_BEHIND' })
  })
})

describe('a missing database', () => {
  test.each([
    ['beside the acknowledged revision', 'aviary.db-acknowledged'],
    ['beside a copy from before a migration', 'aviary.db.format-1'],
    ['beside what the server keeps', 'kubeconfig'],
  ])('%s is not taken for a new store', async (_, name) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, name), 'x')
    const options = { traces: ['kubeconfig', 'tls'] }
    await expect(openStore(folder, options)).rejects.toMatchObject({
      code: 'STORE_DATABASE_MISSING',
      message: expect.stringContaining(`was used before: it holds ${name}`),
      fix: expect.stringContaining(join(folder, 'accept-data-loss')),
    })
    expect(existsSync(join(folder, 'aviary.db'))).toBe(false)
    writeFileSync(join(folder, 'accept-data-loss'), '')
    const store = await openStore(folder, options)
    await store.create(Nest, nest('a'))
    await store.close()
    expect(existsSync(join(folder, 'accept-data-loss'))).toBe(false)
    await (await openStore(folder, options)).close()
  })

  test('in a folder with files of others is a new store', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'aviary.toml'), '')
    const store = await openStore(folder, { traces: ['kubeconfig'] })
    expect((await store.list(Nest)).items).toEqual([])
    await store.close()
  })
})
