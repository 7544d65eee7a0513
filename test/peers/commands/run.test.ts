import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCopy, nodes, oldNode, type Copy } from './copy.ts'

describe.each(nodes())('on Node $version', ({ version, folder }) => {
  let copy: Copy
  beforeAll(() => {
    copy = makeCopy(folder)
  })
  afterAll(() => copy.remove())

  const isOld = Number(version.slice(1).split('.')[0]) < 24
  const aviary = (...args: string[]) => copy.start('bin/aviary', ...args).ended

  /** Changes a file of the copy and gives a way back. */
  const change = (name: string, edit: (text: string) => string) => {
    const file = join(copy.folder, name)
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, edit(before))
    return () => writeFileSync(file, before)
  }

  test('the first run, and one beside it, install what is missing and do their work', async () => {
    const [first, second] = await Promise.all([aviary('one', 'two words'), aviary('three')])
    expect([first.code, second.code]).toEqual([0, 0])
    const said = JSON.parse(first.stdout)
    expect(said.args).toEqual(['one', 'two words'])
    expect(Number(said.node.slice(1).split('.')[0])).toBeGreaterThanOrEqual(24)
    expect(JSON.parse(second.stdout).args).toEqual(['three'])
    const spoken = first.stderr + second.stderr
    expect(spoken.match(/Installing what Aviary needs/g)).toHaveLength(1)
    expect(spoken.match(/Fetching Node/g) ?? []).toHaveLength(isOld ? 1 : 0)
  })

  test('the next run finds everything and says nothing of it', async () => {
    const { code, stdout, stderr } = await aviary('again')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout).args).toEqual(['again'])
  })

  test('nothing is left beside what was installed', () => {
    expect(existsSync(join(copy.folder, '.install'))).toBe(false)
    const cache = join(copy.home, '.cache', 'aviary')
    expect(readdirSync(cache).filter(name => name.includes('.new-') || name.endsWith('.lock'))).toEqual([])
  })

  test('a lock file that was only touched, or modules that somebody installed by hand, are not installed again', async () => {
    utimesSync(join(copy.folder, 'package-lock.json'), new Date(), new Date())
    expect((await aviary('again')).stderr).toBe('')
    rmSync(join(copy.folder, 'node_modules', '.aviary'))
    expect((await aviary('again')).stderr).toBe('')
  })

  test('another version in the lock file is installed', async () => {
    const file = join(copy.folder, 'node_modules', '.package-lock.json')
    const list = JSON.parse(readFileSync(file, 'utf8'))
    list.packages['node_modules/picocolors'].version = '0.0.1'
    writeFileSync(file, JSON.stringify(list))
    utimesSync(join(copy.folder, 'package-lock.json'), new Date(0), new Date(0))
    expect((await aviary('again')).stderr).toContain('Installing what Aviary needs')
  })

  test('an install that cannot be done leaves the old modules, and says what to do', async () => {
    const restore = change('package-lock.json', text => text.replaceAll('sha512-', 'sha512-0'))
    const { code, stderr } = await aviary('again')
    expect(code).toBe(1)
    expect(stderr).toMatch(/npm install failed .*Try again/)
    expect(existsSync(join(copy.folder, 'node_modules', 'picocolors'))).toBe(true)
    restore()
    expect((await aviary('again')).code).toBe(0)
  })

  test('a package.json that asks for more than is locked is refused', async () => {
    const restorers = [
      change('package.json', text => text.replace('"picocolors"', '"reusify":"1.1.0","picocolors"')),
      change('package-lock.json', text => `${text}\n`),
    ]
    const { code, stderr } = await aviary('again')
    expect(code).toBe(1)
    expect(stderr).toContain('package.json and package-lock.json disagree')
    for (const restore of restorers) restore()
    expect((await aviary('again')).code).toBe(0)
  })

  test('a lock whose holder was killed holds nobody up', async () => {
    const { process: gone, ended } = copy.start('true')
    await ended
    rmSync(join(copy.folder, 'node_modules'), { recursive: true })
    mkdirSync(join(copy.folder, '.install', 'new-left'), { recursive: true })
    writeFileSync(join(copy.folder, '.install', 'lock'), `${hostname()} ${gone.pid}`)
    expect((await aviary('again')).code).toBe(0)
    expect(existsSync(join(copy.folder, '.install'))).toBe(false)
  })

  test('whoever takes the lock while the place of the install is cleared up disturbs nobody', async () => {
    // As the system answers when a file appears in a folder that is being removed.
    const preload = join(copy.folder, 'late-lock.mjs')
    writeFileSync(
      preload,
      `import fs from 'node:fs'
       import { syncBuiltinESMExports } from 'node:module'
       const remove = fs.rmSync
       fs.rmSync = (path, options) => {
         if (!path.endsWith('.install')) return remove(path, options)
         throw Object.assign(new Error('directory not empty'), { code: 'ENOTEMPTY' })
       }
       syncBuiltinESMExports()`,
    )
    rmSync(join(copy.folder, 'node_modules'), { recursive: true })
    const { code, stderr } = await copy.start('env', `NODE_OPTIONS=--import=${preload}`, 'bin/aviary', 'again').ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Installing what Aviary needs') })
  })

  test('the exit code is that of the task', async () => {
    expect((await aviary('end', '0')).code).toBe(0)
    expect((await aviary('end', '17')).code).toBe(17)
  })

  test('a task that a signal killed looks killed from outside', async () => {
    expect((await aviary('die', 'SIGKILL')).signal).toBe('SIGKILL')
  })

  test('an unknown task is refused with the list of those there are', async () => {
    const { code, stderr } = await copy.start('node', 'run.mjs', 'fly').ended
    expect(code).toBe(2)
    expect(stderr).toContain('There is no task "fly"')
    expect(stderr).toContain('test:fast')
  })

  test('Ctrl-C, which reaches everybody, ends npm start once and cleanly', async () => {
    const started = copy.start('npm', 'start')
    await started.printed('ready')
    started.interrupt()
    const { code, signal, stdout, stderr } = await started.ended
    expect(stdout).toContain('ended by SIGINT\n')
    expect(stderr).toBe('')
    // Some shells that npm uses end by the signal although what they ran ended well.
    expect(code === 0 || signal === 'SIGINT').toBe(true)
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('%s for the outermost process alone reaches the task', async signal => {
    const started = copy.start('bin/aviary', 'up')
    await started.printed('ready')
    started.process.kill(signal)
    const { code, stdout } = await started.ended
    expect(stdout).toContain(`ended by ${signal}\n`)
    expect(code).toBe(0)
  })
})

test.skipIf(oldNode() === undefined)('all of it on a Node that is too old for Aviary, too (skipped where the PATH has none)', () => {
  expect(nodes()).toHaveLength(2)
})
