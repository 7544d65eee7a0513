import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { crc32, deflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keep, untilReady } from '../peers/keep.ts'
import { provide } from '../peers/set-up.ts'
import type { Peer } from '../peers/table.ts'
import { unzip } from '../peers/unzip.ts'
import { root } from './repository.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aviary-peers-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20)
}

describe('setting a peer up', () => {
  const said: string[] = []
  const circumstances = () => ({ cache: join(folder, 'cache'), pause: 1, say: (line: string) => void said.push(line) })

  /** A peer whose recipe counts its calls in a file and then does what the test wants. */
  function peer(body: string, needs: readonly string[] = []): Peer {
    const recipe = join(folder, `recipe-${Math.random()}.mjs`)
    writeFileSync(
      recipe,
      `import { appendFileSync, writeFileSync } from 'node:fs'
       export async function build(bench) { appendFileSync(${JSON.stringify(join(folder, 'calls'))}, 'x'); ${body} }`,
    )
    return { name: 'finch', version: '1.0', weight: 'light', needs, recipe: pathToFileURL(recipe).href, program: 'finch', takes: 'no time' }
  }
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').length
  const works = `writeFileSync(bench.into + '/finch', bench.version)`

  test('it is made once and found afterwards, in a folder of its name and version', async () => {
    const program = join(folder, 'cache', 'finch-1.0', 'finch')
    const finch = peer(works)
    expect(await provide(finch, circumstances())).toMatchObject({ outcome: 'ready', program })
    expect(await provide(finch, circumstances())).toMatchObject({ outcome: 'ready', program })
    expect(readFileSync(program, 'utf8')).toBe('1.0')
    expect(calls()).toBe(1)
  })

  test('two that ask at once share one set-up', async () => {
    const finch = peer(`await new Promise(resolve => setTimeout(resolve, 100)); ${works}`)
    const both = await Promise.all([provide(finch, circumstances()), provide(finch, circumstances())])
    expect(both.map(({ outcome }) => outcome)).toEqual(['ready', 'ready'])
    expect(calls()).toBe(1)
    expect(said.some(line => line.includes('waiting for another run'))).toBe(true)
  })

  test('a recipe that fails gets three tries, leaves nothing behind, and its last error is the reason', async () => {
    const setUp = await provide(peer(`${works}; throw new Error('no feathers')`), circumstances())
    expect(setUp).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(/failed 3 times.*no feathers/) })
    expect(calls()).toBe(3)
    expect(readdirSync(join(folder, 'cache')).toSorted()).toEqual(['finch-1.0.lock', 'finch-1.0.log'])
  })

  test('a recipe that fails once is forgiven', async () => {
    const flaky = peer(`if (globalThis.finchTried === undefined) { globalThis.finchTried = true; throw new Error('busy') } ${works}`)
    expect(await provide(flaky, circumstances())).toMatchObject({ outcome: 'ready' })
    expect(calls()).toBe(2)
  })

  test('a command of a recipe that fails is quoted', async () => {
    const failing = peer(`await bench.run('sh', ['-c', 'echo it rained >&2; exit 3'])`)
    expect(await provide(failing, circumstances())).toMatchObject({ reason: expect.stringMatching(/code 3\s+it rained/) })
  })

  test('a set-up that a signal ends leaves nothing behind, nor does what it started', async () => {
    const slow = peer(`${works}; await bench.run('sh', ['-c', 'echo $$ > "$0"; exec sleep 1000', ${JSON.stringify(join(folder, 'pid'))}])`)
    const script = `import { provide } from ${JSON.stringify(pathToFileURL(join(root, 'test/peers/set-up.ts')).href)}
      await provide(${JSON.stringify(slow)}, { cache: ${JSON.stringify(join(folder, 'cache'))}, pause: 1, say() {} })`
    const run = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'inherit', 'inherit'] })
    const ended = new Promise(resolve => run.once('exit', (_, signal) => resolve(signal)))
    await until(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8') !== '')
    expect(readdirSync(join(folder, 'cache'))).toContain('finch-1.0.scratch')
    run.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
    expect(readdirSync(join(folder, 'cache')).filter(name => /new|scratch/.test(name))).toEqual([])
    await until(() => !isAlive(Number(readFileSync(join(folder, 'pid'), 'utf8'))))
  })

  test('what an earlier one had to leave is removed', async () => {
    mkdirSync(join(folder, 'cache', 'finch-1.0.scratch', 'gigabytes'), { recursive: true })
    expect(await provide(peer(works), circumstances())).toMatchObject({ outcome: 'ready' })
    expect(readdirSync(join(folder, 'cache')).toSorted()).toEqual(['finch-1.0', 'finch-1.0.lock'])
  })

  test('what the machine lacks is the reason, and nothing is tried', async () => {
    const unmet = (needs: readonly string[]) => (needs.includes('wings') ? 'it has no wings' : undefined)
    const finch = peer(works, ['wings'])
    expect(await provide(finch, { ...circumstances(), unmet })).toEqual({ outcome: 'unmet', reason: 'it has no wings' })
    expect(existsSync(join(folder, 'calls'))).toBe(false)
    // What is there already needs nothing.
    expect(await provide({ ...finch, needs: [] }, { ...circumstances(), unmet })).toMatchObject({ outcome: 'ready' })
    expect(await provide(finch, { ...circumstances(), unmet })).toMatchObject({ outcome: 'ready' })
  })

  test('a need that nobody explained is a mistake in the table', async () => {
    await expect(provide(peer(works, ['python9']), circumstances())).rejects.toThrow('does not know the need "python9"')
  })
})

describe('a program that a test starts', () => {
  const shell = (script: string) => () => ({ command: 'sh', args: ['-c', script] })

  test('runs in a folder of its own and ends, with what it started, when it is stopped', async () => {
    const parent = await keep('wren', shell('sleep 1000 & echo $!; wait'))
    await until(() => parent.output().includes('\n'))
    const child = Number(parent.output())
    expect([isAlive(parent.pid), isAlive(child), existsSync(parent.folder)]).toEqual([true, true, true])
    await parent.stop()
    await until(() => !isAlive(child))
    expect([isAlive(parent.pid), existsSync(parent.folder)]).toEqual([false, false])
  })

  test('ends when the process that started it is killed', async () => {
    const script = `import { keep } from ${JSON.stringify(pathToFileURL(join(root, 'test/peers/keep.ts')).href)}
      const kept = await keep('wren', () => ({ command: 'sleep', args: ['1000'] }))
      console.log(JSON.stringify([kept.pid, kept.folder]))
      setInterval(() => {}, 1000)`
    const starter = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [pid, place] = await new Promise<[number, string]>(resolve => {
      starter.stdout.once('data', (line: Buffer) => resolve(JSON.parse(line.toString()) as [number, string]))
    })
    expect(isAlive(pid)).toBe(true)
    starter.kill('SIGKILL')
    await until(() => !isAlive(pid) && !existsSync(place))
  })

  test('that ends too early is reported with what it printed', async () => {
    const kept = await keep('wren', shell('echo no perch >&2; exit 1'))
    await expect(untilReady(kept, () => Promise.resolve(false))).rejects.toThrow(/wren ended.*no perch/s)
    expect(existsSync(kept.folder)).toBe(false)
  })

  test('that does not exist is reported', async () => {
    await expect(keep('wren', () => ({ command: join(folder, 'none'), args: [] }))).rejects.toThrow(
      /wren could not be started: failed: .*ENOENT/,
    )
  })
})

describe('a zip archive', () => {
  const archive = makeZip({ 'a/b.txt': Buffer.from('hello '.repeat(100)), 'c.bin': Buffer.from([1, 2, 3]) })

  test('gives a file of its content', () => {
    expect(unzip(archive, 'a/b.txt').toString()).toBe('hello '.repeat(100))
    expect([...unzip(archive, 'c.bin')]).toEqual([1, 2, 3])
  })

  test('that lacks the file, is damaged, or is no archive at all is refused', () => {
    expect(() => unzip(archive, 'd')).toThrow('no d in the zip archive')
    const damaged = Buffer.from(archive)
    damaged.writeUInt32LE(0, archive.indexOf(Buffer.from('PK\x01\x02')) + 16)
    expect(() => unzip(damaged, 'a/b.txt')).toThrow('checksum')
    expect(() => unzip(Buffer.alloc(100), 'd')).toThrow('not a zip archive')
  })

  function makeZip(files: Readonly<Record<string, Buffer>>): Buffer {
    const parts: Buffer[] = []
    const directory: Buffer[] = []
    let at = 0
    for (const [name, content] of Object.entries(files)) {
      const packed = deflateRawSync(content)
      const header = Buffer.alloc(30)
      header.writeUInt32LE(0x04034b50, 0)
      header.writeUInt16LE(name.length, 26)
      const entry = Buffer.alloc(46)
      entry.writeUInt32LE(0x02014b50, 0)
      entry.writeUInt16LE(8, 10)
      entry.writeUInt32LE(crc32(content), 16)
      entry.writeUInt32LE(packed.length, 20)
      entry.writeUInt16LE(name.length, 28)
      entry.writeUInt32LE(at, 42)
      directory.push(entry, Buffer.from(name))
      parts.push(header, Buffer.from(name), packed)
      at += 30 + name.length + packed.length
    }
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(Object.keys(files).length, 10)
    end.writeUInt32LE(at, 16)
    return Buffer.concat([...parts, ...directory, end])
  }
})
