import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loopback } from '../../server/testing/aviary-on-loopback.ts'
import type { Loopback } from '../../server/testing/aviary-on-loopback.ts'
import { playIn } from '../testing/played-io.ts'
import type { PlayOptions } from '../testing/played-io.ts'
import { kubeconfigText, pretendedCluster } from '../testing/pretended-cluster.ts'

let world: Loopback
const play = (line: string, options?: PlayOptions) => playIn(world.folder)(line, options)

const map = (name: string, metadata = '') => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${metadata}}\n`
const made = (...names: readonly string[]) => play('apply -f -', { input: names.map(name => map(name)).join('---\n') })
const notFound = (name: string) =>
  `error: configmaps "${name}" not found\nfix: see which there are with: aviary get configmaps -n default\n`

beforeAll(async () => {
  world = await loopback()
  await world.start()
})
afterAll(() => world[Symbol.asyncDispose]())

describe('of several objects those that are there are', () => {
  test('shown; then each of the others is told of', async () => {
    await made('a', 'b')
    expect(await play('get cm a nope b never -o name')).toEqual({
      code: 9,
      out: 'configmap/a\nconfigmap/b\n',
      err: notFound('nope') + notFound('never'),
    })
    expect(JSON.parse((await play('get cm a nope -o json')).out)).toMatchObject({ kind: 'List', items: [{ metadata: { name: 'a' } }] })
    expect(await play('get cm/nope cm/a namespace/default -o name')).toMatchObject({ code: 9, out: 'configmap/a\nnamespace/default\n' })
    expect(await play('get cm nope never')).toMatchObject({ code: 9, out: '' })
  })

  test('described; then each of the others is told of', async () => {
    await made('a')
    expect(await play('describe cm nope a')).toMatchObject({ code: 9, out: expect.stringMatching(/^name: a\n/), err: notFound('nope') })
  })

  test('deleted; each of the others is told of', async () => {
    await made('first', 'last')
    expect(await play('delete cm first nope last')).toEqual({
      code: 9,
      out: 'configmap/first deleted\nconfigmap/last deleted\n',
      err: notFound('nope'),
    })
    const input = map('nope')
    expect(await play('delete -f -', { input })).toEqual({ code: 9, out: '', err: notFound('nope') })
  })

  test('waited for; each of the others is told of', async () => {
    await made('a', 'b')
    const met = 'configmap/a condition met\nconfigmap/b condition met\n'
    expect(await play('wait cm nope a never b --for jsonpath=.metadata.uid')).toEqual({
      code: 9,
      out: met,
      err: expect.stringContaining(notFound('nope') + notFound('never')),
    })
    // What is in no namespace will never say in which; the others are looked at though all the time is gone.
    const { code, out, err } = await play('wait namespace/default cm/nope cm/a cm/b --for jsonpath=.metadata.namespace --timeout 200ms')
    expect({ code, out }).toEqual({ code: 12, out: met })
    expect(err).toMatch(/of namespace\/default did not happen within 0\.2 s\n[^]*configmaps "nope" not found\n/)
  })

  test('waited for until they are gone, whatever else is missing', async () => {
    await play('apply -f -', { input: map('held', ', finalizers: [example.com/hold]') })
    expect(await play('delete cm nope held --timeout 200ms')).toMatchObject({
      code: 12,
      out: 'configmap/held is being deleted\n',
      err: expect.stringMatching(/^error: configmaps "nope" not found\n[^]*held by example\.com\/hold[^]*did not happen within/),
    })
  })
})

test('where nothing matches, nothing is left to wait for until it is deleted', async () => {
  expect(await play('wait cm -l a=none --for delete')).toEqual({ code: 0, out: '', err: '' })
  expect(await play('wait cm -l a=none --for condition=Ready')).toMatchObject({ code: 9, out: '' })
})

test('with --ignore-not-found it is well if they are gone already', async () => {
  await made('a')
  expect(await play('delete cm nope a --ignore-not-found')).toEqual({ code: 0, out: 'configmap/a deleted\n', err: '' })
  expect(await play('delete -f - --ignore-not-found', { input: map('a') })).toEqual({ code: 0, out: '', err: '' })
})

test('what somebody else deletes between the list and its deletion is gone, as was wanted', async () => {
  const listed = { metadata: { name: 'quick', namespace: 'here', resourceVersion: '1', uid: 'u' } }
  const list = { metadata: { resourceVersion: '1' }, items: [listed] }
  const cluster = await pretendedCluster(request => (request === 'GET /api/v1/namespaces/here/configmaps' ? list : undefined))
  const folder = await mkdtemp(join(tmpdir(), 'aviary-delete-'))
  try {
    await writeFile(join(folder, 'kubeconfig'), kubeconfigText({ here: cluster.url }))
    for (const which of ['--all', '-l a=b']) {
      expect(await play(`delete cm ${which} --kubeconfig ${folder}/kubeconfig`)).toEqual({ code: 0, out: '', err: '' })
    }
    expect(await play(`delete cm quick --kubeconfig ${folder}/kubeconfig`)).toMatchObject({ code: 9 })
  } finally {
    await cluster.close()
    await rm(folder, { recursive: true })
  }
})

test('a namespace that is being deleted is held by what its spec says', async () => {
  const inside = map('held', ', namespace: marsh, finalizers: [example.com/hold]')
  await play('apply -f -', { input: `apiVersion: v1\nkind: Namespace\nmetadata: {name: marsh}\n---\n${inside}` })
  expect(await play('delete namespace marsh --timeout 300ms')).toMatchObject({
    code: 12,
    err: expect.stringContaining('namespace/marsh is held by kubernetes\n'),
  })
})
