import { chmodSync, lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FileNotFound, FileNotReadable, FileNotWritable } from './errors.ts'
import type { Files } from './files.ts'
import { memoryFiles } from './memory-files.ts'
import { realFiles } from './real-files.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'aviary-files-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (...path: string[]) => join(folder, ...path)

const engines: readonly (readonly [string, () => Files])[] = [
  ['real files', realFiles],
  ['memory files', () => memoryFiles()],
]

describe.each(engines)('%s', (_name, make) => {
  let files: Files
  beforeEach(() => void (files = make()))

  test('what was written is read, the last content wins', async () => {
    await files.write(at('a'), 'first')
    await files.write(at('a'), new TextEncoder().encode('sécond'))
    expect(await files.read(at('a'))).toBe('sécond')
    expect(await files.readIfThere(at('a'))).toBe('sécond')
  })

  test('a missing file is FileNotFound, or undefined where that is asked for', async () => {
    await expect(files.read(at('none'))).rejects.toMatchObject({ code: FileNotFound.code, message: expect.stringContaining(at('none')) })
    expect(await files.readIfThere(at('none'))).toBeUndefined()
    expect(await files.readIfThere(at('no-folder', 'none'))).toBeUndefined()
    expect(await files.exists(at('none'))).toBe(false)
  })

  test('a folder cannot be read or written as a file', async () => {
    await files.makeFolder(at('sub'))
    await expect(files.read(at('sub'))).rejects.toMatchObject({
      code: FileNotReadable.code,
      message: expect.stringContaining('it is a folder'),
    })
    await expect(files.write(at('sub'), 'x')).rejects.toMatchObject({
      code: FileNotWritable.code,
      message: expect.stringContaining('it is a folder'),
    })
    expect(await files.names(folder)).toEqual(['sub'])
  })

  test('a file cannot be used as a folder', async () => {
    await files.write(at('a'), 'x')
    const why = { message: expect.stringContaining('not a folder') }
    await expect(files.read(at('a', 'b'))).rejects.toMatchObject({ code: FileNotReadable.code, ...why })
    await expect(files.write(at('a', 'b'), 'y')).rejects.toMatchObject({ code: FileNotWritable.code, ...why })
    await expect(files.append(at('a', 'b'), 'y')).rejects.toMatchObject({ code: FileNotWritable.code, ...why })
    await expect(files.names(at('a'))).rejects.toMatchObject({ code: FileNotReadable.code, ...why })
    await expect(files.makeFolder(at('a'))).rejects.toMatchObject({ code: FileNotWritable.code })
    expect(await files.read(at('a'))).toBe('x')
  })

  test('missing folders are made', async () => {
    await files.write(at('x', 'y', 'z'), 'deep')
    await files.append(at('p', 'q'), 'deep')
    await files.makeFolder(at('m', 'n'))
    await files.makeFolder(at('m', 'n'))
    expect(await files.names(folder)).toEqual(['m', 'p', 'x'])
    expect(await files.exists(at('m', 'n'))).toBe(true)
    expect(await files.read(at('x', 'y', 'z'))).toBe('deep')
  })

  test('append adds to the end', async () => {
    await files.append(at('log'), 'one\n')
    await files.append(at('log'), 'two\n')
    expect(await files.read(at('log'))).toBe('one\ntwo\n')
  })

  test('names are sorted, and none in a missing folder', async () => {
    for (const name of ['b', 'a', '10', '9']) await files.write(at(name), '')
    expect(await files.names(folder)).toEqual(['10', '9', 'a', 'b'])
    expect(await files.names(at('none'))).toEqual([])
  })

  test('remove takes a file, or a folder with all in it, and does not mind a missing one', async () => {
    await files.write(at('sub', 'deep', 'file'), 'x')
    await files.write(at('subway'), 'x')
    await files.remove(at('sub'))
    await files.remove(at('sub'))
    expect(await files.names(folder)).toEqual(['subway'])
    await files.remove(at('subway'))
    expect(await files.exists(at('subway'))).toBe(false)
    await files.remove(at('subway'))
  })
})

test('memory files can start with content', async () => {
  const files = memoryFiles({ '/etc/aviary/config.toml': 'x = 1' })
  expect(await files.read('/etc/aviary/config.toml')).toBe('x = 1')
  expect(await files.names('/')).toEqual(['etc'])
})

describe('replacing a real file', () => {
  const files = realFiles()
  const mode = (path: string) => statSync(path).mode & 0o7777

  test('leaves nothing beside it', async () => {
    await files.write(at('a'), 'first')
    await files.write(at('a'), 'second')
    expect(readdirSync(folder)).toEqual(['a'])
  })

  test('gives it exactly the mode that is asked for, whatever the umask says', async () => {
    await files.write(at('a'), 'key', { mode: 0o600 })
    await files.write(at('b'), 'shared', { mode: 0o666 })
    expect([mode(at('a')), mode(at('b'))]).toEqual([0o600, 0o666])
  })

  test('keeps the mode that it has if none is asked for', async () => {
    writeFileSync(at('a'), 'first')
    chmodSync(at('a'), 0o640)
    await files.write(at('a'), 'second')
    expect(mode(at('a'))).toBe(0o640)
  })

  test('replaces what a symbolic link points to, not the link', async () => {
    writeFileSync(at('target'), 'first')
    symlinkSync(at('target'), at('link'))
    await files.write(at('link'), 'second')
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(at('target'), 'utf8')).toBe('second')
  })

  test('never shows a reader anything but the old or the new content', async () => {
    const contents = ['a'.repeat(200_000), 'b'.repeat(200_000)] as const
    await files.write(at('a'), contents[0])
    let writing = true
    const read = async () => {
      const seen = new Set<string>()
      while (writing) seen.add(await files.read(at('a')))
      return seen
    }
    const reader = read()
    for (let round = 1; round <= 20; round++) await files.write(at('a'), contents[(round % 2) as 0 | 1])
    writing = false
    for (const seen of await reader) expect(contents).toContain(seen)
  })

  test('that fails leaves the old content and no litter', async () => {
    await files.write(at('a'), 'old')
    await expect(files.write(at('a'), { toString: () => 'not content' } as string)).rejects.toMatchObject({ code: FileNotWritable.code })
    expect(readdirSync(folder)).toEqual(['a'])
    expect(readFileSync(at('a'), 'utf8')).toBe('old')
  })

  test('refused by the system says why in plain words', async () => {
    await expect(files.write(`/proc/aviary-${process.pid}/x`, 'y')).rejects.toMatchObject({
      code: FileNotWritable.code,
      message: expect.stringMatching(/^cannot write \/proc\/aviary-\d+\/x: .+ \(E[A-Z]+\)$/),
    })
  })
})
