import { describe, expect, test } from 'vitest'
import { ConfigMap, Namespace, Nest } from '../../kinds/index.ts'
import { ResponseTooLarge, Unreachable } from '../../ports/index.ts'
import type { DeleteOptions } from '../store.ts'
import { failed, json, nest, nestList, scriptedApi } from './testing/scripted-api.ts'

const collection = '/apis/demo.aviary.dev/v1alpha1/namespaces/a/nests'
const spec = { eggs: 1, material: 'twig' as const }
const success = json({ kind: 'Status', status: 'Success', details: { name: 'a', uid: 'uid-a' } })

describe('list', () => {
  const pages = () =>
    scriptedApi(({ url: { searchParams } }) =>
      searchParams.has('continue')
        ? nestList([nest('c', '3')], { resourceVersion: '9' })
        : nestList([nest('a', '1'), nest('b', '2')], { resourceVersion: '9', continue: 'more', remainingItemCount: 1 }),
    )

  test('without a limit gives everything, fetched in pages', async () => {
    const api = pages()
    const page = await api.store.list(Nest, { resourceVersion: '5', labelSelector: 'a=b' })
    expect(page.items.map(item => item.object.metadata.name)).toEqual(['a', 'b', 'c'])
    expect(page).toMatchObject({ resourceVersion: '9', continue: undefined, remaining: undefined })
    expect(api.lines()).toEqual([
      'GET /apis/demo.aviary.dev/v1alpha1/nests?labelSelector=a=b&limit=500&resourceVersion=5&resourceVersionMatch=NotOlderThan',
      'GET /apis/demo.aviary.dev/v1alpha1/nests?labelSelector=a=b&limit=500&continue=more',
    ])
  })

  test('with a limit gives one page and how to go on', async () => {
    const api = pages()
    expect(await api.store.list(Nest, { limit: 2, namespace: 'a' })).toMatchObject({ continue: 'more', remaining: 1 })
    expect(await api.store.list(Nest, { limit: 2, namespace: 'a', continue: 'more' })).toMatchObject({ continue: undefined })
    expect(api.lines()).toEqual([`GET ${collection}?limit=2`, `GET ${collection}?limit=2&continue=more`])
  })

  test('asks for exactly the revision if that is wanted', async () => {
    const api = scriptedApi(() => nestList([], { resourceVersion: '5' }))
    await api.store.list(Nest, { resourceVersion: '5', exactRevision: true })
    expect(api.lines()).toEqual(['GET /apis/demo.aviary.dev/v1alpha1/nests?limit=500&resourceVersion=5&resourceVersionMatch=Exact'])
  })

  test('tells items of built-in kinds what they are', async () => {
    const api = scriptedApi(() =>
      json({
        kind: 'ConfigMapList',
        metadata: { resourceVersion: '9' },
        items: [{ metadata: { name: 'a', resourceVersion: '1' }, data: { x: 'y' } }],
      }),
    )
    const { items } = await api.store.list(ConfigMap)
    expect(items[0]?.object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', resourceVersion: '1' },
      data: { x: 'y' },
    })
  })

  test('of objects too large for one page asks for smaller pages', async () => {
    const api = scriptedApi(({ url: { searchParams } }) => {
      if (Number(searchParams.get('limit')) > 100) throw ResponseTooLarge({ target: 'x', maxBytes: 1 })
      return nestList([nest('a', '1')], { resourceVersion: '9' })
    })
    expect((await api.store.list(Nest)).items).toHaveLength(1)
    expect(api.lines().map(line => line.replace(/^.*limit=/, ''))).toEqual(['500', '125', '32'])
  })

  test('of nothing may be written as null', async () => {
    expect((await scriptedApi(() => json({ metadata: { resourceVersion: '9' }, items: null })).store.list(ConfigMap)).items).toEqual([])
  })
})

describe('create', () => {
  test('sends what the caller decides, strictly checked', async () => {
    const api = scriptedApi(() => json(nest('a', '1'), 201))
    const made = await api.store.create(Nest, { metadata: { name: 'a', namespace: 'a', creationTimestamp: 'x', generation: 7 }, spec })
    expect(made).toEqual({ ...nest('a', '1'), metadata: { name: 'a', namespace: 'a', uid: 'uid-a', resourceVersion: '1' } })
    expect(api.seen[0]).toMatchObject({
      line: `POST ${collection}?fieldValidation=Strict`,
      body: { apiVersion: 'demo.aviary.dev/v1alpha1', kind: 'Nest', metadata: { name: 'a', namespace: 'a' }, spec },
      headers: { authorization: 'Bearer t', 'content-type': 'application/json', 'user-agent': 'aviary' },
    })
  })

  test('passes warnings on', async () => {
    const warnings: string[] = []
    const api = scriptedApi(() => json(nest('a', '1'), 201, { warning: String.raw`299 - "unknown field \"spec.x\""` }))
    await api.store.create(
      Nest,
      { metadata: { name: 'a', namespace: 'a' }, spec },
      { dryRun: true, fieldValidation: 'Warn', onWarning: text => warnings.push(text) },
    )
    expect(warnings).toEqual(['unknown field "spec.x"'])
    expect(api.lines()).toEqual([`POST ${collection}?fieldValidation=Warn&dryRun=All`])
  })

  test('chooses a generated name here, and another if that one is taken', async () => {
    const api = scriptedApi((_, count) => (count < 3 ? failed(409, 'AlreadyExists') : json(nest('a', '1'), 201)))
    await api.store.create(Nest, { metadata: { generateName: `${'x'.repeat(70)}-`, namespace: 'a' }, spec })
    const names = api.seen.map(({ body }) => (body as { metadata: { name: string } }).metadata.name)
    expect(new Set(names).size).toBe(3)
    for (const name of names) expect(name).toMatch(/^x{58}[a-z0-9]{5}$/)
  })

  test('gives up on generated names after eight', async () => {
    const api = scriptedApi(() => failed(409, 'AlreadyExists'))
    await expect(api.store.create(Nest, { metadata: { generateName: 'x-', namespace: 'a' }, spec })).rejects.toMatchObject({
      reason: 'AlreadyExists',
    })
    expect(api.seen.length).toBe(8)
  })

  test('of a generated name whose reply was lost says under which name to look', async () => {
    const api = scriptedApi(() => Promise.reject(Unreachable({ target: 'x', why: 'reset', sent: true })))
    const error = await api.store
      .create(Nest, { metadata: { generateName: 'x-', namespace: 'a' }, spec })
      .catch((reason: unknown) => reason)
    const sent = api.seen[0]?.body as { metadata: { name: string } }
    expect(error).toMatchObject({ reason: 'ServiceUnavailable', details: { sent: true, name: sent.metadata.name } })
  })

  test.each([
    ['a revision', { name: 'a', namespace: 'a', resourceVersion: '4' }, 'BadRequest'],
    ['no namespace', { name: 'a' }, 'Invalid'],
    ['a namespace that is a path', { name: 'a', namespace: '../../b' }, 'Invalid'],
  ])('refuses %s without asking', async (_, metadata, reason) => {
    const api = scriptedApi(() => json({}))
    await expect(api.store.create(Nest, { metadata, spec })).rejects.toMatchObject({ reason })
    expect(api.seen).toEqual([])
  })

  test('refuses what etcd would not take, without sending it', async () => {
    const api = scriptedApi(() => json({}))
    const large = { metadata: { name: 'a', namespace: 'a' }, data: { x: 'ö'.repeat(800_000) } }
    await expect(api.store.create(ConfigMap, large)).rejects.toMatchObject({ reason: 'RequestEntityTooLarge' })
    expect(api.seen).toEqual([])
  })
})

describe('update', () => {
  test('sends revision and uid, but not what the server decides', async () => {
    const api = scriptedApi(() => json(nest('a', '2')))
    const more = { deletionTimestamp: 'x', deletionGracePeriodSeconds: 0, creationTimestamp: 'x', generation: 4 }
    await api.store.update(Nest, nest('a', '1', more))
    expect(api.seen[0]).toMatchObject({ line: `PUT ${collection}/a?fieldValidation=Strict` })
    expect(api.seen[0]?.body).toHaveProperty('metadata', { name: 'a', namespace: 'a', uid: 'uid-a', resourceVersion: '1' })
  })

  test('goes to the subresource', async () => {
    const api = scriptedApi(() => json(nest('a', '2')))
    await api.store.update(Nest, nest('a', '1'), { subresource: 'status' })
    await api.store.update(
      Namespace,
      { metadata: { name: 'n', resourceVersion: '1' }, spec: { finalizers: [] } },
      { subresource: 'finalize' },
    )
    expect(api.lines()).toEqual([
      `PUT ${collection}/a/status?fieldValidation=Strict`,
      'PUT /api/v1/namespaces/n/finalize?fieldValidation=Strict',
    ])
  })

  test.each([
    [undefined, 'Invalid'],
    ['', 'Invalid'],
    ['0', 'Conflict'],
    ['abc', 'Conflict'],
    ['-1', 'Conflict'],
  ])('with the revision %s is refused without asking: %s', async (resourceVersion, reason) => {
    const api = scriptedApi(() => json(nest('a', '2')))
    const { resourceVersion: _, ...metadata } = nest('a', '1').metadata
    const object = { ...nest('a', '1'), metadata: { ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } }
    await expect(api.store.update(Nest, object)).rejects.toMatchObject({ reason })
    expect(api.seen).toEqual([])
  })

  test('of a subresource that the kind has not is refused without asking', async () => {
    const api = scriptedApi(() => json(nest('a', '2')))
    await expect(api.store.update(ConfigMap, { metadata: nest('a', '1').metadata }, { subresource: 'status' })).rejects.toMatchObject({
      reason: 'NotFound',
    })
    await expect(api.store.update(Nest, nest('a', '1'), { subresource: 'finalize' })).rejects.toMatchObject({ reason: 'NotFound' })
    expect(api.seen).toEqual([])
  })
})

describe('delete', () => {
  const a = { namespace: 'a', name: 'a' }
  const deleting = (answer: ReturnType<typeof json>, there = nest('a', '4')) =>
    scriptedApi(({ method }) => (method === 'GET' ? json(there) : answer))
  const options = (api: ReturnType<typeof scriptedApi>) => api.seen.filter(({ line }) => line.startsWith('DELETE')).map(({ body }) => body)

  test('gives the object as it was at last, and deletes only that one', async () => {
    const api = deleting(success)
    expect(await api.store.delete(Nest, a)).toMatchObject({ gone: true, object: { metadata: { name: 'a', resourceVersion: '4' } } })
    expect(options(api)).toEqual([{ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'uid-a', resourceVersion: '4' } }])
  })

  const deleted = { deletionTimestamp: '2026-11-15T23:21:43Z', deletionGracePeriodSeconds: 0 }
  test.each([
    ['with finalizers is held', { ...deleted, finalizers: ['x/y'] }, {}, false],
    ['without finalizers is gone', deleted, {}, true],
    ['given back as it was is gone', {}, {}, true],
    ['with a time to end in is held', { ...deleted, deletionGracePeriodSeconds: 30 }, {}, false],
    ['with finalizers of its own in the spec, as a namespace has, is held', deleted, { finalizers: ['kubernetes'] }, false],
  ])('an object %s', async (_, metadata, more, gone) => {
    const api = deleting(json({ ...nest('a', '5', metadata), spec: { ...spec, ...more } }))
    expect(await api.store.delete(Nest, a)).toMatchObject({ gone, object: { metadata: { resourceVersion: '5' } } })
  })

  test.each([{ uid: 'another' }, { resourceVersion: '3' }] satisfies DeleteOptions[])(
    'of another object than meant is a conflict: %o',
    async precondition => {
      const api = deleting(success)
      await expect(api.store.delete(Nest, a, precondition)).rejects.toMatchObject({ reason: 'Conflict' })
      expect(options(api)).toEqual([])
    },
  )

  test('says what becomes of dependents, and that it is only a rehearsal', async () => {
    const api = deleting(success)
    await api.store.delete(Nest, a, { propagation: 'Orphan', dryRun: true })
    expect(options(api)).toMatchObject([{ propagationPolicy: 'Orphan', dryRun: ['All'] }])
  })

  test('reads again if the object changed in between, and in the end deletes it as it is', async () => {
    const api = scriptedApi(({ method }, count) =>
      method === 'GET' ? json(nest('a', String(count))) : count < 10 ? failed(409, 'Conflict') : success,
    )
    expect(await api.store.delete(Nest, a)).toMatchObject({ gone: true })
    expect(options(api).map(body => (body as { preconditions: object }).preconditions)).toEqual([
      { uid: 'uid-a', resourceVersion: '1' },
      { uid: 'uid-a', resourceVersion: '3' },
      { uid: 'uid-a', resourceVersion: '5' },
      { uid: 'uid-a', resourceVersion: '7' },
      { uid: 'uid-a' },
    ])
  })

  test('of what is not there is NotFound', async () => {
    await expect(scriptedApi(() => failed(404, 'NotFound')).store.delete(Nest, a)).rejects.toMatchObject({ reason: 'NotFound' })
  })
})

describe('close', () => {
  test('waits for writes under way and refuses later ones', async () => {
    const release = Promise.withResolvers<void>()
    const api = scriptedApi(async () => {
      await release.promise
      return json(nest('a', '1'), 201)
    })
    const writing = api.store.create(Nest, { metadata: { name: 'a', namespace: 'a' }, spec })
    await api.clock.advance(0)
    let closed = false
    const closing = api.store.close().then(() => (closed = true))
    await api.clock.advance(0)
    expect(closed).toBe(false)
    release.resolve()
    await closing
    expect((await writing).metadata.name).toBe('a')
    await expect(api.store.get(Nest, { namespace: 'a', name: 'a' })).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
    await expect(api.store.create(Nest, { metadata: { name: 'b', namespace: 'a' }, spec })).rejects.toMatchObject({
      reason: 'ServiceUnavailable',
    })
  })

  test('lets a deletion finish that has only read so far', async () => {
    const api = scriptedApi(({ method }) => (method === 'GET' ? json(nest('a', '1')) : success))
    const deleting = api.store.delete(Nest, { namespace: 'a', name: 'a' })
    await api.store.close()
    expect(await deleting).toMatchObject({ gone: true })
  })
})
