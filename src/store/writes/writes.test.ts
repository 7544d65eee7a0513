import * as z from 'zod'
import { describe, expect, test } from 'vitest'
import { seededChance } from '../../ports/index.ts'
import { allKinds, ConfigMap, Event, kind, Namespace, Nest, Secret } from '../../kinds/index.ts'
import { refusal } from '../contract/subject.ts'
import { memoryWorld } from '../testing/memory.ts'

const nest = (name: string) => ({ metadata: { namespace: 'here', name }, spec: { eggs: 1, material: 'twig' as const } })

/** A kind whose objects can be as large as one likes. */
const Scroll = kind({
  group: 'demo.aviary.dev',
  version: 'v1alpha1',
  name: 'Scroll',
  plural: 'scrolls',
  scope: 'Cluster',
  description: 'A long text.',
  spec: z.object({ text: z.string().describe('the text') }).describe('what it says'),
  columns: [],
})

describe('creating', () => {
  test('tries other names while generated ones are taken, but not for ever', async () => {
    const chance = { ...seededChance(1), suffix: () => suffixes.shift() ?? 'taken' }
    const suffixes = ['taken', 'taken', 'taken', 'fresh']
    const { store } = await memoryWorld({ chance })
    const draft = { metadata: { namespace: 'here', generateName: 'nest-' }, spec: { eggs: 1, material: 'twig' as const } }
    expect((await store.create(Nest, draft)).metadata.name).toBe('nest-taken')
    expect((await store.create(Nest, draft)).metadata.name).toBe('nest-fresh')
    await expect(store.create(Nest, draft)).rejects.toMatchObject({ reason: 'AlreadyExists', details: { retryAfterSeconds: 1 } })
  })

  test('shortens a long beginning so that the name stays a label', async () => {
    const { store } = await memoryWorld()
    const draft = { metadata: { namespace: 'here', generateName: 'n'.repeat(60) }, spec: { eggs: 1, material: 'twig' as const } }
    expect((await store.create(Nest, draft)).metadata.name).toMatch(/^n{58}[a-z0-9]{5}$/)
  })

  test('takes neither identity nor times nor revisions from the draft', async () => {
    const { store } = await memoryWorld()
    const metadata = {
      ...nest('a').metadata,
      uid: 'mine',
      generation: 7,
      creationTimestamp: 'long ago',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      managedFields: [{ manager: 'me' }],
    }
    const made = await store.create(Nest, { ...nest('a'), metadata })
    expect(made.metadata).toEqual({
      name: 'a',
      namespace: 'here',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: '3',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    })
    const again = { ...nest('b'), metadata: { ...nest('b').metadata, resourceVersion: '3' } }
    await expect(store.create(Nest, again)).rejects.toMatchObject({ reason: 'BadRequest' })
  })

  test('refuses what has not even the shape of an object', async () => {
    const { store } = await memoryWorld()
    for (const draft of [null, 'nest', [], 7]) {
      await expect(store.create(Nest, draft as never), JSON.stringify(draft)).rejects.toMatchObject({ reason: 'BadRequest' })
    }
    await expect(store.create(Nest, { metadata: 'a', spec: {} } as never)).rejects.toMatchObject({ reason: 'Invalid' })
    await expect(store.create(Nest, { ...nest('a'), kind: 'Secret' })).rejects.toMatchObject({ reason: 'Invalid' })
    await expect(store.create(Nest, { ...nest('a'), metadata: { name: 'a' } })).rejects.toMatchObject({
      reason: 'Invalid',
      message: expect.stringContaining('metadata.namespace'),
    })
    await expect(store.create(Namespace, { metadata: { name: 'a', namespace: 'here' }, spec: {} })).rejects.toMatchObject({
      reason: 'Invalid',
    })
  })

  test('refuses what is larger than 1.5 MiB as JSON, and takes what is not', async () => {
    const { store } = await memoryWorld({ kinds: [...allKinds, Scroll] })
    const scroll = (name: string, text: string) => ({ metadata: { name }, spec: { text } })
    const a = await store.create(Scroll, scroll('a', ''))
    const room = 1_572_864 - JSON.stringify(a).length
    await store.create(Scroll, scroll('b', 'x'.repeat(room)))
    const attempts = [
      store.create(Scroll, scroll('c', 'x'.repeat(room + 1))),
      store.create(Scroll, scroll('c', 'ü'.repeat(room / 2 + 1))),
      store.create(Scroll, scroll('c', '\u0000'.repeat(room / 6 + 1))),
      store.create(Scroll, scroll('c', 'x'.repeat(room + 100)), { dryRun: true }),
      store.update(Scroll, { ...a, spec: { text: 'x'.repeat(room + 1) } }),
    ]
    for (const attempt of attempts) expect(await refusal(attempt)).toMatchObject({ reason: 'RequestEntityTooLarge', status: 413 })
    expect((await store.list(Scroll)).items).toHaveLength(2)
  })

  test('counts no generation for kinds of Kubernetes itself, as Kubernetes does', async () => {
    const { store } = await memoryWorld()
    const made = await store.create(ConfigMap, { metadata: { namespace: 'here', name: 'a' }, data: { a: '1' } })
    const changed = await store.update(ConfigMap, { ...made, data: { a: '2' } })
    expect(changed.metadata.generation).toBeUndefined()
    expect(changed.data).toEqual({ a: '2' })
  })
})

describe('a kind that the store was not opened with', () => {
  test('is not found, for reading and for writing', async () => {
    const { store } = await memoryWorld({ kinds: [Namespace, Nest] })
    const refused = { reason: 'NotFound', fix: expect.stringContaining('Event') }
    await expect(store.list(Event)).rejects.toMatchObject(refused)
    await expect(store.get(Event, { namespace: 'here', name: 'a' })).rejects.toMatchObject(refused)
    await expect(store.delete(Event, { namespace: 'here', name: 'a' })).rejects.toMatchObject(refused)
    const watch = store.watch(Event, { signal: new AbortController().signal })[Symbol.asyncIterator]()
    await expect(watch.next()).rejects.toMatchObject(refused)
  })

  test('Namespace: then namespaces need not exist', async () => {
    const { store } = await memoryWorld({ kinds: [Nest] })
    expect((await store.create(Nest, nest('a'))).metadata.namespace).toBe('here')
  })
})

describe('a namespace', () => {
  test('is active, labelled with its name, and held until somebody says that it is empty', async () => {
    const { store } = await memoryWorld()
    const made = await store.create(Namespace, {
      metadata: { name: 'a', labels: { team: 'red' } },
      spec: {},
      status: { phase: 'Terminating' },
    })
    expect(made.metadata.labels).toEqual({ team: 'red', 'kubernetes.io/metadata.name': 'a' })
    expect(made.spec).toEqual({ finalizers: ['kubernetes'] })
    expect(made.status).toEqual({ phase: 'Active' })

    const relabelled = await store.update(Namespace, { ...made, metadata: { ...made.metadata, labels: {} }, spec: {} })
    expect(relabelled.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'a' })
    expect(relabelled.spec).toEqual({ finalizers: ['kubernetes'] })

    const { object, gone } = await store.delete(Namespace, { name: 'a' })
    expect(gone).toBe(false)
    expect(object.status).toEqual({ phase: 'Terminating' })
    expect(object.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z')
    expect(await store.delete(Namespace, { name: 'a' })).toEqual({ object, gone: false })

    await store.update(Namespace, { ...object, spec: { finalizers: [] } }, { subresource: 'finalize' })
    await expect(store.get(Namespace, { name: 'a' })).rejects.toMatchObject({ reason: 'NotFound' })
  })

  test('with finalizers of its own stays until those are gone, too', async () => {
    const { store } = await memoryWorld()
    await store.create(Namespace, { metadata: { name: 'a', finalizers: ['demo.aviary.dev/guard'] }, spec: {} })
    const { object } = await store.delete(Namespace, { name: 'a' })
    const finalized = await store.update(Namespace, { ...object, spec: {} }, { subresource: 'finalize' })
    expect(finalized.spec).toEqual({})
    await store.update(Namespace, { ...finalized, metadata: { ...finalized.metadata, finalizers: [] } })
    await expect(store.get(Namespace, { name: 'a' })).rejects.toMatchObject({ reason: 'NotFound' })
  })

  test('that is being deleted takes nothing new, but what is in it can still change', async () => {
    const { store } = await memoryWorld()
    const old = await store.create(Nest, nest('a'))
    await store.delete(Namespace, { name: 'here' })
    await expect(store.create(Nest, nest('b'))).rejects.toMatchObject({
      reason: 'Forbidden',
      message: 'nests.demo.aviary.dev "b" is forbidden: unable to create new content in namespace here because it is being terminated',
      details: { namespaceTerminating: 'here' },
    })
    expect((await store.update(Nest, { ...old, spec: { ...old.spec, eggs: 5 } })).spec.eggs).toBe(5)
    expect((await store.delete(Nest, { namespace: 'here', name: 'a' })).gone).toBe(true)
  })

  test('that everybody relies on cannot be deleted', async () => {
    const { store } = await memoryWorld()
    await store.create(Namespace, { metadata: { name: 'default' }, spec: {} })
    await expect(store.delete(Namespace, { name: 'default' })).rejects.toMatchObject({ reason: 'Forbidden' })
  })

  test('is the only kind with finalize, and kinds without status have no status to update', async () => {
    const { store } = await memoryWorld()
    const made = await store.create(Nest, nest('a'))
    await expect(store.update(Nest, made, { subresource: 'finalize' })).rejects.toMatchObject({ reason: 'NotFound' })
    const map = await store.create(ConfigMap, { metadata: { namespace: 'here', name: 'a' } })
    await expect(store.update(ConfigMap, map, { subresource: 'status' })).rejects.toMatchObject({ reason: 'NotFound' })
    const here = await store.get(Namespace, { name: 'here' })
    await expect(
      store.update(Namespace, { ...here, spec: { finalizers: [7] } } as never, { subresource: 'finalize' }),
    ).rejects.toMatchObject({ reason: 'Invalid' })
  })
})

describe('a secret', () => {
  test('takes plain texts, which win over what is there, and gives back base64', async () => {
    const { store } = await memoryWorld()
    const made = await store.create(Secret, {
      metadata: { namespace: 'here', name: 'a' },
      type: 'Opaque',
      stringData: { user: 'hé' },
      data: { user: 'eA==', other: 'eQ==' },
    })
    expect(made.data).toEqual({ user: 'aMOp', other: 'eQ==' })
    expect(made.stringData).toBeUndefined()
    const changed = await store.update(Secret, { ...made, stringData: { other: 'q' } })
    expect(changed.data).toEqual({ user: 'aMOp', other: 'cQ==' })
    expect(await store.update(Secret, { ...changed, stringData: { other: 'q' } })).toEqual(changed)
  })

  test('is refused for its plain texts as for its data: by their names, and by their bytes', async () => {
    const { store } = await memoryWorld()
    const secret = (stringData: unknown) =>
      store.create(Secret, { metadata: { namespace: 'here', name: 'a' }, stringData: stringData as Record<string, string> })
    const largest = 1024 * 1024
    expect(await refusal(secret({ 'no file name': 'x' }))).toMatchObject({
      reason: 'Invalid',
      message: expect.stringContaining('data[no file name]'),
    })
    expect(await refusal(secret({ a: 'x', b: 'y'.repeat(largest) }))).toMatchObject({
      reason: 'Invalid',
      message: expect.stringContaining(`data: Too long: may not be more than ${largest} bytes`),
    })
    for (const wrong of ['text', ['text'], { a: 7 }, { a: 'x', b: ['y'] }]) expect((await refusal(secret(wrong))).reason).toBe('Invalid')
    const made = await secret({ a: 'y'.repeat(largest), b: null })
    expect(Object.keys(made.data ?? {})).toEqual(['a'])
    expect(made.stringData).toBeUndefined()
    const { stringData: _, data: __, ...rest } = made
    expect(await store.update(Secret, { ...rest, stringData: {} })).not.toHaveProperty('data')
  })
})

describe('deleting', () => {
  test('decides anew how to go on with what the object owns, each time that somebody says so', async () => {
    const { store } = await memoryWorld()
    await store.create(Nest, { ...nest('a'), metadata: { ...nest('a').metadata, finalizers: ['demo.aviary.dev/guard'] } })
    const remove = async (propagation?: 'Background' | 'Foreground' | 'Orphan') => {
      const { object } = await store.delete(Nest, { namespace: 'here', name: 'a' }, propagation === undefined ? {} : { propagation })
      return object.metadata.finalizers
    }
    expect(await remove('Foreground')).toEqual(['demo.aviary.dev/guard', 'foregroundDeletion'])
    expect(await remove()).toEqual(['demo.aviary.dev/guard', 'foregroundDeletion'])
    expect(await remove('Orphan')).toEqual(['demo.aviary.dev/guard', 'orphan'])
    expect(await remove('Background')).toEqual(['demo.aviary.dev/guard'])
  })

  test('gives the removal a revision of its own, and the object that went carries it', async () => {
    const { store, state } = await memoryWorld()
    await store.create(Nest, nest('a'))
    const { object } = await store.delete(Nest, { namespace: 'here', name: 'a' })
    expect(object.metadata.resourceVersion).toBe(String(state.revision))
    expect((await store.create(Nest, nest('a'))).metadata.resourceVersion).toBe(String(Number(object.metadata.resourceVersion) + 1))
  })
})
