import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { realFiles } from '../ports/index.ts'
import { loadConfig, startAviary } from '../server/index.ts'
import type { Aviary } from '../server/index.ts'
import { play as playAnywhere, playIn } from './testing/played-io.ts'
import type { PlayOptions } from './testing/played-io.ts'

let folder: string
let aviary: Aviary

const play = (line: string, options?: PlayOptions) => playIn(folder)(line, options)

const nest = (name: string, spec = 'eggs: 2', more = '') =>
  `apiVersion: demo.aviary.dev/v1alpha1\nkind: Nest\nmetadata:\n  name: ${name}\n${more}spec:\n  ${spec}\n`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aviary-cli-'))
  const overrides = [
    { key: 'server.listen', value: '127.0.0.1:0', from: 'test' },
    { key: 'server.dataDir', value: join(folder, 'data'), from: 'test' },
    { key: 'log.level', value: 'silent', from: 'test' },
  ]
  const file = join(folder, 'aviary.toml')
  await writeFile(file, '')
  aviary = await startAviary({ config: await loadConfig(file, { files: realFiles(), environment: {}, overrides }) })
})

afterAll(async () => {
  await aviary.stop()
  await rm(folder, { recursive: true })
})

describe('apply', () => {
  test('makes objects, changes them, and leaves alone what did not change', async () => {
    await writeFile(join(folder, 'nest.yaml'), nest('thrush'))
    expect(await play('apply -f nest.yaml')).toMatchObject({ code: 0, out: 'nest.demo.aviary.dev/thrush created\n' })
    expect(await play('apply -f nest.yaml')).toMatchObject({ code: 0, out: 'nest.demo.aviary.dev/thrush unchanged\n' })
    expect(await play('apply -f -', { input: nest('thrush', 'eggs: 4') })).toMatchObject({
      code: 0,
      out: expect.stringContaining('configured'),
    })
    expect((await play('get nest thrush -o json')).out).toContain('"eggs": 4')
  })

  test('says that nothing changed if the server changed nothing, however the file puts it', async () => {
    const input = 'apiVersion: v1\nkind: Secret\nmetadata: {name: same, labels: {}}\nstringData: {word: sesame}\n'
    expect((await play('apply -f -', { input })).out).toBe('secret/same created\n')
    expect((await play('apply -f -', { input })).out).toBe('secret/same unchanged\n')
    const other = input.replace('sesame', 'other')
    expect((await play('apply -f - --dry-run', { input: other })).out).toBe('secret/same configured (dry run)\n')
    expect((await play('apply -f -', { input: other })).out).toBe('secret/same configured\n')
  })

  test('takes away what an earlier file said and this one does not, and keeps what others wrote', async () => {
    await play('apply -f -', { input: nest('finch', 'site: oak\n  material: moss') })
    expect(await play('apply -f -', { input: nest('finch', 'site: oak', '  labels: {kept: "yes"}\n') })).toMatchObject({ code: 0 })
    expect(JSON.parse((await play('get nest finch -o json')).out)).toMatchObject({
      metadata: { labels: { kept: 'yes' } },
      spec: { site: 'oak', material: 'twig', eggs: 1 },
    })
  })

  test('says where a file is wrong, and has written nothing of it', async () => {
    const two = `${nest('good-one')}---\n${nest('bad-one', 'eggs: 99')}`
    const wrong = await play('apply -f -', { input: two })
    expect(wrong).toMatchObject({ code: 10, out: '', err: expect.stringMatching(/document 2.*bad-one: spec\.eggs: .*12/s) })
    expect((await play('get nest good-one')).code).toBe(9)
  })

  test.each([
    ['a: [', /standard input:\d+:\d+: /],
    ['kind: Nest', /apiVersion or kind is missing/],
    ['apiVersion: v9\nkind: Nest', /there is no kind Nest in v9/],
    [nest(''), /metadata\.name is missing/],
    [nest('x', 'flavr: 1'), /unknown field "spec\.flavr"/],
    ['', /there is no object in it/],
  ])('refuses %j', async (input, why) => {
    expect(await play('apply -f -', { input })).toMatchObject({ code: 10, err: expect.stringMatching(why) })
  })

  test('with --dry-run changes nothing', async () => {
    expect(await play('apply -f - --dry-run', { input: nest('ghost') })).toMatchObject({
      code: 0,
      out: expect.stringContaining('(dry run)'),
    })
    expect((await play('get nest ghost')).code).toBe(9)
  })
})

describe('get', () => {
  test('prints each form', async () => {
    await play('apply -f -', { input: nest('kite', 'material: down', '  labels: {form: all}\n') })
    expect((await play('get nests -l form=all')).out).toMatch(/^NAME +EGGS +HATCHED +PHASE +AGE\nkite +1 .*\n$/)
    expect((await play('get nests -l form=all -o wide')).out).toMatch(/MATERIAL.*\nkite.*down/)
    expect((await play('get nests -l form=all -A')).out).toMatch(/^NAMESPACE +NAME.*\ndefault +kite/)
    expect((await play('get nests -l form=all -o name')).out).toBe('nest.demo.aviary.dev/kite\n')
    expect(JSON.parse((await play('get nests -l form=all -o json')).out)).toMatchObject({
      kind: 'List',
      items: [{ metadata: { name: 'kite' } }],
    })
    expect((await play('get nest kite -o yaml')).out).toMatch(/^apiVersion: demo\.aviary\.dev\/v1alpha1\nkind: Nest\n/)
    expect((await play('get nests --field-selector spec.material=down -o name')).out).toContain('kite')
  })

  test('says so on standard error if there is nothing, and prints nothing', async () => {
    expect(await play('get nests -l no=such')).toEqual({ code: 0, out: '', err: 'There are no nests in namespace default.\n' })
  })

  test.each([
    ['json', /^\{\n(.*\n)+\}\n\{\n(.*\n)+\}\n$/],
    ['yaml', /^apiVersion: (.*\n)+---\napiVersion: (.*\n)+$/],
  ])('--watch -o %s gives one document for each object, not lists', async (form, documents) => {
    const labels = `  labels: {seen: ${form}}\n`
    await play('apply -f -', { input: `${nest('stork', 'eggs: 1', labels)}---\n${nest('swan', 'eggs: 1', labels)}` })
    const stop = new AbortController()
    const { out } = await play(`get nests -l seen=${form} --watch -o ${form}`, {
      signal: stop.signal,
      onOut: text => {
        if (text.includes('name: swan') || text.includes('"name": "swan"')) stop.abort()
      },
    })
    expect(out).toMatch(documents)
    expect(out).not.toContain('List')
  })

  test('--watch shows what is there and then each change, with one heading', async () => {
    await play('apply -f -', { input: nest('crane', 'eggs: 1', '  labels: {watched: "yes"}\n') })
    const stop = new AbortController()
    let patched = false
    const shown = await play('get nests -l watched=yes --watch', {
      signal: stop.signal,
      onOut: text => {
        if (!patched) void play('apply -f -', { input: nest('crane', 'eggs: 5', '  labels: {watched: "yes"}\n') })
        patched = true
        if (/crane +5/.test(text)) stop.abort()
      },
    })
    expect(shown).toMatchObject({ code: 0, err: '' })
    expect(shown.out.match(/NAME/g)).toHaveLength(1)
    expect(shown.out).toMatch(/crane +1 .*\n(.*\n)*crane +5/)
  })
})

describe('delete', () => {
  test('removes by name, by label and by file', async () => {
    await play('apply -f -', {
      input: ['a', 'b', 'c'].map(name => nest(`gone-${name}`, 'eggs: 0', '  labels: {gone: soon}\n')).join('---\n'),
    })
    expect(await play('delete nest gone-a')).toMatchObject({ code: 0, out: 'nest.demo.aviary.dev/gone-a deleted\n' })
    await writeFile(join(folder, 'gone.yaml'), nest('gone-b'))
    expect(await play('delete -f gone.yaml')).toMatchObject({ code: 0 })
    expect(await play('delete nests -l gone=soon')).toMatchObject({ code: 0, out: 'nest.demo.aviary.dev/gone-c deleted\n' })
    expect((await play('delete nest gone-a')).code).toBe(9)
  })

  test('does not wait for what was made after it under the same name', async () => {
    await play('apply -f -', { input: nest('phoenix', 'eggs: 0', '  finalizers: [example.com/hold]\n') })
    const freed = nest('phoenix', 'eggs: 0', '  finalizers: []\n')
    let isFreed = false
    const removed = await play('delete nest phoenix', {
      onOut: () => {
        if (!isFreed) void play('apply -f -', { input: freed }).then(() => play('apply -f -', { input: nest('phoenix') }))
        isFreed = true
      },
    })
    expect(removed).toMatchObject({ code: 0, out: expect.stringMatching(/is being deleted\n.* deleted\n$/) })
  })

  test.each([
    'delete nest dove -l a=b',
    'delete nest dove --all',
    'delete nests -l a=b --all',
    'delete nest dove -f x.yaml',
    'delete --all -f x.yaml',
  ])('%s is refused: what it says twice would be ignored once', async line => {
    expect(await play(line)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('do not go together') })
  })

  test('does not guess which', async () => {
    expect(await play('delete nests')).toMatchObject({ code: 2, err: expect.stringContaining('--all') })
  })

  test('says what holds an object, and that it took too long', async () => {
    await play('apply -f -', { input: nest('held', 'eggs: 0', '  finalizers: [example.com/hold]\n') })
    expect(await play('delete nest held --timeout 300ms')).toMatchObject({
      code: 12,
      out: expect.stringContaining('is being deleted'),
      err: expect.stringContaining('held by example.com/hold'),
    })
    expect(await play('wait nest/held --for delete --timeout 200ms')).toMatchObject({ code: 12 })
  })
})

describe('wait', () => {
  test.each(['jsonpath=.spec.eggs=3', "jsonpath='{.spec.eggs}'=3", 'jsonpath={.spec.eggs}=3', 'jsonpath=.spec.eggs'])(
    'for %s',
    async goal => {
      await play('apply -f -', { input: nest('patient', 'eggs: 3') })
      expect(await play(`wait nest patient --for ${goal}`)).toMatchObject({ code: 0, out: 'nest.demo.aviary.dev/patient condition met\n' })
    },
  )

  test('for what never comes', async () => {
    await play('apply -f -', { input: nest('patient', 'eggs: 3') })
    expect(await play('wait nest patient --for condition=Ready --timeout 200ms')).toMatchObject({
      code: 12,
      err: expect.stringContaining('has no condition Ready yet'),
    })
    expect(await play('wait nest nobody --for condition=Ready')).toMatchObject({ code: 9 })
    expect(await play('wait nest patient --for luck')).toMatchObject({ code: 2 })
    expect(await play('wait nest patient -l a=b --for condition=Ready')).toMatchObject({ code: 2 })
  })
})

test('why and describe tell about one object', async () => {
  await play('apply -f -', { input: nest('dove') })
  expect(await play('why nest/dove')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Nest default\/dove says nothing about itself[\s\S]*\nNo controller has looked at it\./),
  })
  await play('apply -f -', { input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n' })
  expect((await play('why configmap/plain')).out).not.toContain('No controller')
  expect((await play('describe nest dove')).out).toMatch(/^name: dove\n[\s\S]*spec:\n {2}eggs: 2\n[\s\S]*events: none lately/)
})

test('describe does not show what a secret holds', async () => {
  await play('apply -f -', { input: 'apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {password: hunter2}\n' })
  const { out } = await play('describe secret key')
  expect(out).toContain('password: ***')
  expect(out).not.toContain(Buffer.from('hunter2').toString('base64'))
})

test('events tells what happened, of one object or of all', async () => {
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e1' },
    involvedObject: { kind: 'Nest', name: 'dove', namespace: 'default' },
    reason: 'Hatched',
    message: 'egg 1',
    type: 'Normal',
    count: 2,
  }
  await play('apply -f -', { input: JSON.stringify(event) })
  expect((await play('events --for nest/dove')).out).toMatch(
    /LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n.* \(x2\) +Normal +Hatched +nest\/dove +egg 1\n/,
  )
  expect(await play('events --for nest/other')).toMatchObject({ code: 0, out: '' })
  expect((await play('events -A')).out).toMatch(/^NAMESPACE +LAST SEEN[^]*^default +.* nest\/dove +egg 1$/m)
})

test.each(['get', 'describe', 'why'])('%s says in which namespace there is an object of that name', async command => {
  const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: forest}\n'
  await play('apply -f -', { input: `${namespace}---\n${nest('siskin', 'eggs: 2', '  namespace: forest\n')}` })
  expect(await play(`${command} nest siskin`)).toMatchObject({
    code: 9,
    err: 'error: nests.demo.aviary.dev "siskin" not found in namespace default\nfix: there is one in forest: choose with -n NAMESPACE\n',
  })
  expect(await play(`${command} nest siskin -n forest`)).toMatchObject({ code: 0, out: expect.stringContaining('siskin') })
  expect(await play(`${command} nest nobody`)).toMatchObject({
    code: 9,
    err: 'error: nests.demo.aviary.dev "nobody" not found\nfix: see which there are with: aviary get nests -n default\n',
  })
})

test('a token is shown once, opens the door, and no longer does when revoked', async () => {
  const made = await play('token create robot --user robot --expires 1h')
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^aviary_robot_[\w-]{43}\n$/) })
  const kubeconfig = join(folder, 'robot.yaml')
  await writeFile(
    kubeconfig,
    (await readFile(join(folder, 'data', 'kubeconfig'), 'utf8')).replace(/aviary_local-admin_[\w-]{43}/, made.out.trim()),
  )
  expect(await play('get nests', { environment: { AVIARY_KUBECONFIG: kubeconfig } })).toMatchObject({
    code: 8,
    err: expect.stringContaining('"robot"'),
  })
  expect(await play('token revoke robot')).toMatchObject({ code: 0 })
  expect(await play('get nests', { environment: { AVIARY_KUBECONFIG: kubeconfig } })).toMatchObject({ code: 8 })
})

test('backup makes no folders: the one that is missing may be the place of a disk', async () => {
  const { code, err } = await play('backup not-mounted/copy.db')
  expect([code, err]).toEqual([
    5,
    expect.stringMatching(/^error: cannot write .*copy\.db: there is no folder .*not-mounted\nfix: name a file/),
  ])
})

test.each(['data/aviary.db', 'data/aviary.db-wal', 'data/lock', 'data/lock.owner'])(
  'backup does not write over %s, where the server lives',
  async file => {
    expect(await play(`backup ${file}`)).toMatchObject({
      code: 5,
      out: '',
      err: expect.stringMatching(/is where a store keeps its data.*\nfix: choose another file/),
    })
    expect((await readFile(join(folder, 'data/lock.owner'))).toString()).toContain(`process ${process.pid}`)
  },
)

test('backup does not write over a database with a log beside it, wherever that is', async () => {
  await writeFile(join(folder, 'other.db-wal'), 'what was written last')
  expect(await play('backup other.db')).toMatchObject({ code: 5, err: expect.stringContaining('other.db is where a store keeps its data') })
})

test('backup saves a database that can be started from', async () => {
  expect(await play('backup copy.db')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ bytes written to .*copy\.db\n$/) })
  expect((await readFile(join(folder, 'copy.db'))).subarray(0, 15).toString()).toBe('SQLite format 3')
})

test('backup replaces an older backup', async () => {
  expect(await play('backup again.db')).toMatchObject({ code: 0 })
  expect(await play('backup again.db')).toMatchObject({ code: 0 })
})

test.each(['data/kubeconfig', 'data/tls/server.pem', 'empty-file', 'stopped/aviary.db'])(
  'backup does not write over %s, which is not a backup',
  async file => {
    await writeFile(join(folder, 'empty-file'), '')
    await mkdir(join(folder, 'stopped'), { recursive: true })
    // The database of a stopped server: in write-ahead mode, without files beside it.
    await copyFile(join(folder, 'data/aviary.db'), join(folder, 'stopped/aviary.db'))
    const before = await readFile(join(folder, file))
    expect(await play(`backup ${file}`)).toMatchObject({
      code: 5,
      out: '',
      err: expect.stringMatching(/exists and is not a backup.*\nfix: choose another file name/),
    })
    expect(await readFile(join(folder, file))).toEqual(before)
  },
)

test('crds prints a definition for each kind of our own', async () => {
  const { code, out } = await play('crds')
  expect(code).toBe(0)
  expect(out.split('---\n').length).toBeGreaterThanOrEqual(3)
  expect(out).toContain('name: nests.demo.aviary.dev')
})

describe('config', () => {
  test.each(['', '--config '])('check %sFILE names line, column and fix', async option => {
    await writeFile(join(folder, 'wrong.toml'), '[server]\nlissten = "x"\n')
    expect(await play(`config check ${option}${folder}/wrong.toml`)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/wrong\.toml:2:1: server\.lissten: .*listen/),
    })
    expect(await play('config check')).toMatchObject({ code: 0 })
  })

  test('show prints what is in force', async () => {
    expect((await play('config show')).out).toMatch(/\[server\][\s\S]*listen = "127\.0\.0\.1:7443"/)
    await writeFile(join(folder, 'other.toml'), '[server]\nlisten = "127.0.0.1:7500"\n')
    for (const option of ['', '--config ']) {
      expect((await play(`config show ${option}${folder}/other.toml`)).out).toContain('listen = "127.0.0.1:7500"')
    }
  })
})

describe('the command itself', () => {
  test('helps with examples, for every command', async () => {
    const inside = async (parent: string): Promise<string[]> => {
      const { out } = await play(`${parent} --help`.trim())
      const [, list = ''] = /\nCommands:\n([^]*?)\n\n/.exec(out) ?? []
      const names = Array.from(list.matchAll(/^ {2}([a-z]+) /gm), match => `${parent} ${match[1]}`.trim())
      const own = names.filter(name => !name.endsWith('help'))
      return [...own, ...(await Promise.all(own.map(inside))).flat()]
    }
    const commands = await inside('')
    expect(commands).toEqual(
      expect.arrayContaining(['up', 'config', 'config check', 'token', 'hatchery jobs', 'pool dns', 'vsphere doctor']),
    )
    for (const command of ['', ...commands]) {
      const help = await play(`${command} --help`.trim())
      expect(help, command).toMatchObject({ code: 0, out: expect.stringContaining(`Examples:\n  aviary ${command}`) })
    }
  })

  test('ends with 2 when it makes no sense, and says what would', async () => {
    expect(await play('gett nests')).toMatchObject({ code: 2, err: expect.stringContaining('get') })
    expect(await play('get eagles')).toMatchObject({ code: 2, err: expect.stringContaining('nests') })
    expect(await play('get nests -o xml')).toMatchObject({ code: 2, err: expect.stringContaining('(aviary get --help shows') })
    expect(await play('token create ci')).toMatchObject({ code: 2, err: expect.stringContaining('(aviary token create --help shows') })
    expect(await play('get workers')).toMatchObject({ code: 2, err: expect.stringContaining('aviary hatchery workers') })
    expect(await play('why job')).toMatchObject({ code: 2, err: expect.stringContaining('aviary hatchery jobs') })
  })

  test('says which server does not answer, and how to name another', async () => {
    const kubeconfig = join(folder, 'nobody.yaml')
    await writeFile(kubeconfig, (await readFile(join(folder, 'data', 'kubeconfig'), 'utf8')).replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'))
    expect(await play(`get nests --kubeconfig ${kubeconfig}`)).toMatchObject({ code: 7, err: expect.stringContaining('127.0.0.1:1') })
    expect(await play(`get nests --kubeconfig ${folder}/missing.yaml`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('missing.yaml'),
    })
  })

  test.each(['bash', 'zsh', 'fish'])('completes in %s', async shell => {
    const { code, out } = await play(`completion ${shell}`)
    expect(code).toBe(0)
    for (const word of ['describe', 'nests', '--watch']) expect(out).toContain(word)
  })

  test('tells its version, also when no server answers', async () => {
    expect(await play('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^aviary \d+\.\d+\.\d+\n$/) })
    expect(await play('version --client')).toMatchObject({ code: 0, out: expect.stringMatching(/^aviary \d+\.\d+\.\d+ /) })
    expect(await play('version', { folder: '/', environment: { HOME: '/nonexistent' } })).toMatchObject({
      code: 0,
      err: expect.stringContaining('No server answers'),
    })
  })
})

test('up serves, says where, and ends cleanly when asked to', async () => {
  const other = await mkdtemp(join(tmpdir(), 'aviary-up-'))
  const stop = new AbortController()
  const ended = await playAnywhere(['up', '--data-dir', join(other, 'data'), '--listen', '127.0.0.1:0'], {
    folder: other,
    signal: stop.signal,
    onOut: text => void (/^ready https:\/\/127\.0\.0\.1:\d+$/m.test(text) && stop.abort()),
  })
  expect(ended).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Aviary is running[\s\S]*kubeconfig {3}data\/kubeconfig[\s\S]*ready https/),
  })
  expect(ended.out.split('\n').filter(line => line.length > 80)).toEqual([])
  await rm(other, { recursive: true })
})

test('up says how to lead commands to it that would ask another server', async () => {
  const other = await mkdtemp(join(tmpdir(), 'aviary-up-'))
  const greeting = async (environment: Record<string, string>, ...more: readonly string[]) => {
    const stop = new AbortController()
    const onOut = (text: string) => void (text.includes('ready https') && stop.abort())
    return (await playAnywhere(['up', '--listen', '127.0.0.1:0', ...more], { folder: other, environment, signal: stop.signal, onOut })).out
  }
  const way = '\n  export AVIARY_KUBECONFIG=data/kubeconfig '
  expect(await greeting({ KUBECONFIG: '/elsewhere' })).toContain(way)
  expect(await greeting({ AVIARY_KUBECONFIG: '/elsewhere' })).toContain(way)
  expect(await greeting({}, '--data-dir', 'nest')).toContain('\n  export AVIARY_KUBECONFIG=nest/kubeconfig ')
  expect(await greeting({})).not.toContain('export')
  await rm(other, { recursive: true })
})

describe('up says why it cannot start, what to do about it, and ends with a code of its own:', () => {
  /** Starts with a configuration, in a folder of its own unless the arguments say otherwise. */
  async function refusal(toml: string, args = '--data-dir other') {
    await writeFile(join(folder, 'up.toml'), toml)
    return await play(`up --config ${folder}/up.toml --listen 127.0.0.1:0 ${args}`)
  }
  const onCluster = (kubeconfig: string) => `[engine]\nkind = "kubernetes"\nkubeconfig = "${kubeconfig}"\n[log]\nlevel = "silent"\n`
  const kubeconfig = async (name: string, from: RegExp, to: string) => {
    await writeFile(join(folder, name), (await readFile(join(folder, 'data', 'kubeconfig'), 'utf8')).replace(from, to))
    return name
  }
  const said = (code: number, ...words: readonly string[]) => ({
    code,
    out: '',
    err: expect.stringMatching(new RegExp(words.join('[^]*'))),
  })

  test('the data folder is in use', async () => {
    expect(await refusal('', '--data-dir data')).toMatchObject(said(5, 'in use by process', 'another data folder'))
  })

  test('the port is in use', async () => {
    const taken = new URL(aviary.url).host
    expect(await refusal('', `--data-dir other --listen ${taken}`)).toMatchObject(said(4, `${taken}: the port is in use`, '--listen'))
  })

  test('the certificate cannot be read', async () => {
    const tls = '[server.tls]\ncertificate = "missing.pem"\nkey = "k"\n'
    expect(await refusal(tls)).toMatchObject(said(6, 'missing.pem', 'server.tls.certificate'))
  })

  test('the cluster does not answer', async () => {
    const nobody = await kubeconfig('away', /127\.0\.0\.1:\d+/, '127.0.0.1:1')
    expect(await refusal(onCluster(nobody))).toMatchObject(said(7, '127.0.0.1:1 cannot be used', '--kubeconfig'))
  })

  test('the cluster does not know us', async () => {
    const stranger = await kubeconfig('stranger', /aviary_local-admin_..../, 'aviary_local-admin_AAAA')
    expect(await refusal(onCluster(stranger))).toMatchObject(said(8, 'does not know who we are', 'renew the credentials'))
  })

  test('the configuration is wrong', async () => {
    expect(await refusal('[server]\nlisten = 5\nprot = 1\n')).toMatchObject(said(3, 'up.toml:3:1: server.prot: there is no such key'))
  })
})
