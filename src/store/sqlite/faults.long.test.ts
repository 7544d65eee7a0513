import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
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

/** Every file of a database with its content, locks aside. */
function files(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter(name => name.startsWith('aviary.db'))
  return Object.fromEntries(names.map(name => [name, readFileSync(join(folder, name)).toString('base64')]))
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
    const lock = new URL('folder-lock.ts', import.meta.url).href
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
    const lock = fileURLToPath(new URL('folder-lock.ts', import.meta.url))
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
