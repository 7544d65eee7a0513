import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigMap } from '../../kinds/index.ts'
import { loopback } from '../../server/testing/aviary-on-loopback.ts'
import type { Loopback } from '../../server/testing/aviary-on-loopback.ts'
import type { Store } from '../../store/index.ts'
import { playIn } from '../testing/played-io.ts'

let world: Loopback
let store: Store
const apply = (input: string) => playIn(world.folder)('apply -f -', { input })

beforeAll(async () => {
  world = await loopback()
  store = await world.store(await world.start())
})
afterAll(() => world[Symbol.asyncDispose]())

test.each([
  ['{', /Expected property name/],
  ['[]', /it is no object/],
  ['7', /it is no object/],
])('a note %j that nobody can read is said to be so, with the object and the way out; nothing is changed', async (note, why) => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
  const name = `noted-${note.codePointAt(0)}`
  await store.create(ConfigMap, { metadata: { namespace: 'default', name, annotations: { [annotation]: note } }, data: { a: '1' } })
  const { code, out, err } = await apply(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {b: "2"}\n`)
  expect({ code, out }).toEqual({ code: 10, out: '' })
  expect(err).toMatch(why)
  expect(err).toContain(`error: the annotation ${annotation} of configmap/${name} is damaged`)
  expect(err).toContain(`\nfix: remove it with: kubectl annotate configmap/${name} -n default ${annotation}-; `)
  expect((await store.get(ConfigMap, { namespace: 'default', name })).data).toEqual({ a: '1' })
})

test('booleans are read as kubectl reads them', async () => {
  const pool = (flag: string) =>
    `apiVersion: hive.openshift.io/v1\nkind: ClusterPool\nmetadata: {name: p}\nspec: {baseDomain: a.example, size: 0, imageSetRef: {name: i}, platform: {none: {}}, skipMachinePools: ${flag}}\n`
  expect(await apply(pool('yes'))).toMatchObject({ code: 0, err: '' })
  expect(await apply(pool('true'))).toMatchObject({ out: expect.stringContaining('unchanged') })
  expect(await apply(pool('maybe'))).toMatchObject({ code: 10, err: expect.stringContaining('skipMachinePools') })
})

test('what get prints can be applied again, also texts that look like something else', async () => {
  const data = { answer: 'yes', time: '12:30', mode: '0644', day: '2026-11-15', y: 'n' }
  await store.create(ConfigMap, { metadata: { namespace: 'default', name: 'words' }, data })
  const { out } = await playIn(world.folder)('get cm words -o yaml')
  expect(await apply(out)).toMatchObject({ code: 0, err: '' })
  expect((await store.get(ConfigMap, { namespace: 'default', name: 'words' })).data).toEqual(data)
})

test('what is wrong is about fields; a remark that some rules were not checked is none', async () => {
  const { code, err } = await apply(
    'apiVersion: hive.openshift.io/v1\nkind: ClusterPool\nmetadata: {name: p2}\nspec: {baseDomain: 7, size: 0, imageSetRef: {name: i}, platform: {}}\n',
  )
  expect(code).toBe(10)
  expect(err).toContain('spec.baseDomain: ')
  expect(err).not.toMatch(/<nil>|not checked/)
})

test('what is not there is named, with what to do about it', async () => {
  const play = playIn(world.folder)
  expect(await play('apply -f none.yaml')).toEqual({
    code: 3,
    out: '',
    err: 'error: there is no file none.yaml\nfix: name a file that is there, or - to read standard input\n',
  })
  expect(await apply('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: nowhere}\n')).toMatchObject({
    code: 9,
    err: expect.stringMatching(/^error: namespaces "nowhere" not found\nfix: make the namespace first, /),
  })
})
