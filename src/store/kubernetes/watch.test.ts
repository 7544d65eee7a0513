import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { Unreachable } from '../../ports/index.ts'
import type { WatchEvent, WatchOptions } from '../store.ts'
import { failed, nest, nestList, scriptedApi } from './testing/scripted-api.ts'

const event = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`
const added = (name: string, revision: string) => event('ADDED', nest(name, revision))
const bookmark = (revision: string) => event('BOOKMARK', { kind: 'Nest', metadata: { resourceVersion: revision } })
const initialEnd = (revision: string) =>
  event('BOOKMARK', { kind: 'Nest', metadata: { resourceVersion: revision, annotations: { 'k8s.io/initial-events-end': 'true' } } })
const expired = event('ERROR', {
  kind: 'Status',
  status: 'Failure',
  message: 'too old resource version: 1 (5)',
  reason: 'Expired',
  code: 410,
})

async function* pieces(...texts: readonly (string | Uint8Array)[]) {
  yield* texts
}
async function* thenSilence(...texts: readonly string[]) {
  yield* texts
  await new Promise(() => {})
}
async function* thenCut(...texts: readonly string[]) {
  yield* texts
  throw Unreachable({ target: 'GET https://api.test', why: 'connection reset', sent: true })
}
const streamOf = (body: AsyncIterable<string | Uint8Array>) => ({ status: 200, body })

const short = (each: WatchEvent<Nest>) =>
  each.type === 'BOOKMARK'
    ? `BOOKMARK ${each.resourceVersion}${each.initialEventsEnd ? ' end' : ''}`
    : `${each.type} ${each.item.object.metadata.name}`

/** Reads a watch to its end: what it said, and how it ended. */
async function readAll(api: ReturnType<typeof scriptedApi>, options: Partial<WatchOptions> = {}, wait = 0) {
  const batches: string[][] = []
  const reading = (async () => {
    for await (const batch of api.store.watch(Nest, { signal: new AbortController().signal, ...options })) batches.push(batch.map(short))
  })()
  const end = reading.then(
    () => 'ended',
    (error: { reason?: string; message: string }) => `${error.reason}: ${error.message}`,
  )
  await api.clock.advance(wait)
  return { batches, end: await end }
}

describe('changes after a revision', () => {
  test('come in the batches in which they arrive', async () => {
    const api = scriptedApi(() => streamOf(pieces(added('a', '2') + added('b', '3'), event('DELETED', nest('a', '4')))))
    expect(await readAll(api, { namespace: 'a', resourceVersion: '1', labelSelector: 'x=y' })).toEqual({
      batches: [['ADDED a', 'ADDED b'], ['DELETED a']],
      end: 'ended',
    })
    expect(api.lines()).toEqual([
      'GET /apis/demo.aviary.dev/v1alpha1/namespaces/a/nests?labelSelector=x=y&resourceVersion=1&watch=true&allowWatchBookmarks=true&timeoutSeconds=N',
    ])
  })

  test('are frozen objects without managed fields', async () => {
    const api = scriptedApi(() => streamOf(pieces(added('a', '2'))))
    for await (const [first] of api.store.watch(Nest, { resourceVersion: '1', signal: new AbortController().signal })) {
      if (first?.type !== 'ADDED') throw new Error('not an object')
      expect(first.item.resourceVersion).toBe('2')
      expect(first.item.object.metadata).not.toHaveProperty('managedFields')
      expect(Object.isFrozen(first.item.object.metadata)).toBe(true)
    }
  })

  test('bookmarks are told only to who wants them', async () => {
    const stream = () => streamOf(pieces(bookmark('5'), added('a', '6') + bookmark('7')))
    expect((await readAll(scriptedApi(stream), { resourceVersion: '1', bookmarks: true })).batches).toEqual([
      ['BOOKMARK 5'],
      ['ADDED a', 'BOOKMARK 7'],
    ])
    expect((await readAll(scriptedApi(stream), { resourceVersion: '1' })).batches).toEqual([['ADDED a']])
  })

  test('from now on begin at the revision of a list', async () => {
    const api = scriptedApi(({ url }) =>
      url.search.includes('watch') ? streamOf(pieces(added('b', '43'))) : nestList([nest('a', '1')], { resourceVersion: '42' }),
    )
    expect((await readAll(api)).batches).toEqual([['ADDED b']])
    expect(api.lines()[0]).toBe('GET /apis/demo.aviary.dev/v1alpha1/nests?limit=1')
    expect(api.lines()[1]).toContain('resourceVersion=42')
  })

  test('an expired revision is an error, but not before what came ahead of it', async () => {
    const api = scriptedApi(() => streamOf(pieces(added('a', '2') + expired)))
    expect(await readAll(api, { resourceVersion: '1' })).toEqual({
      batches: [['ADDED a']],
      end: 'Expired: too old resource version: 1 (5)',
    })
    const refused = scriptedApi(() => failed(410, 'Expired'))
    expect((await readAll(refused, { resourceVersion: '1' })).end).toBe('Expired: Expired!')
  })

  test('half an event at the end of a connection is dropped', async () => {
    const api = scriptedApi(() => streamOf(thenCut(added('a', '2'), added('b', '3').slice(0, 40))))
    expect(await readAll(api, { resourceVersion: '1' })).toEqual({ batches: [['ADDED a']], end: 'ended' })
  })

  test.each(['nonsense', '{}', 'null', '{"type":"ODD","object":{"metadata":{}}}', '{"type":"ADDED","object":{}}'])(
    'a whole line that is no event is an error, never passed over: %s',
    async line => {
      const api = scriptedApi(() => streamOf(pieces(`${added('a', '2')}${line}\n${added('b', '3')}`)))
      expect(await readAll(api, { resourceVersion: '1' })).toEqual({
        batches: [['ADDED a']],
        end: 'InternalError: the watch of nests sent a line that is no event',
      })
    },
  )

  test('a connection that is silent for too long counts as cut', async () => {
    const api = scriptedApi(() => streamOf(thenSilence(added('a', '2'))), { limits: { watchIdle: 5000 } })
    expect(await readAll(api, { resourceVersion: '1' }, 6000)).toEqual({ batches: [['ADDED a']], end: 'ended' })
  })

  test('a server that cannot be reached is an error, and not asked again behind the back of who watches', async () => {
    const api = scriptedApi(() => Promise.reject(Unreachable({ target: 'x', why: 'refused', sent: false })))
    expect((await readAll(api, { resourceVersion: '1' })).end).toMatch(/^ServiceUnavailable: /)
    expect(api.seen.length).toBe(1)
  })
})

describe('initial events', () => {
  test('are streamed', async () => {
    const api = scriptedApi(() => streamOf(pieces(added('a', '2'), added('b', '1') + initialEnd('7'), added('c', '8'))))
    expect(await readAll(api, { initialEvents: true, resourceVersion: '3' })).toEqual({
      batches: [['ADDED a'], ['ADDED b', 'BOOKMARK 7 end'], ['ADDED c']],
      end: 'ended',
    })
    expect(api.lines()).toEqual([
      'GET /apis/demo.aviary.dev/v1alpha1/nests?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=3&watch=true&allowWatchBookmarks=true&timeoutSeconds=N',
    ])
  })

  test('that break off are an error: half a list is not the list', async () => {
    for (const body of [pieces(added('a', '2')), thenCut(added('a', '2')), pieces()]) {
      const api = scriptedApi(() => streamOf(body))
      expect((await readAll(api, { initialEvents: true })).end).toBe('ServiceUnavailable: the list of nests broke off')
    }
  })

  const listing = (refusal: () => ReturnType<typeof failed>) =>
    scriptedApi(({ url: { searchParams } }) => {
      if (searchParams.has('sendInitialEvents')) return refusal()
      if (searchParams.has('watch')) return streamOf(pieces(added('c', '10')))
      return searchParams.has('continue')
        ? nestList([nest('b', '2')], { resourceVersion: '9' })
        : nestList([nest('a', '1')], { resourceVersion: '9', continue: 'more' })
    })

  test.each([
    ['422', () => failed(422, 'Invalid', {})],
    ['400', () => failed(400, 'BadRequest', {})],
  ])('come from a list, page by page, if the server refuses to stream them with %s; it is asked only once', async (_, refusal) => {
    const api = listing(refusal)
    const expected = { batches: [['ADDED a'], ['ADDED b'], ['BOOKMARK 9 end'], ['ADDED c']], end: 'ended' }
    expect(await readAll(api, { initialEvents: true })).toEqual(expected)
    expect(await readAll(api, { initialEvents: true })).toEqual(expected)
    expect(api.lines().map(line => line.replace(/^.*nests\?/, ''))).toEqual([
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&watch=true&allowWatchBookmarks=true&timeoutSeconds=N',
      'limit=500',
      'limit=500&continue=more',
      'resourceVersion=9&watch=true&allowWatchBookmarks=true&timeoutSeconds=N',
      'limit=500',
      'limit=500&continue=more',
      'resourceVersion=9&watch=true&allowWatchBookmarks=true&timeoutSeconds=N',
    ])
  })

  test('a wrong selector is not taken for a server that cannot stream', async () => {
    let selectorIsWrong = true
    const api = scriptedApi(({ url: { searchParams } }) => {
      if (selectorIsWrong) return failed(400, 'BadRequest', {})
      return searchParams.has('sendInitialEvents') ? streamOf(pieces(initialEnd('7'))) : failed(500, 'InternalError')
    })
    expect((await readAll(api, { initialEvents: true, labelSelector: 'x in (' })).end).toBe('BadRequest: BadRequest!')
    selectorIsWrong = false
    expect((await readAll(api, { initialEvents: true })).batches).toEqual([['BOOKMARK 7 end']])
  })

  test('a server that streams without telling the end is listed the next time', async () => {
    const api = scriptedApi(({ url: { searchParams } }) => {
      if (searchParams.has('sendInitialEvents')) return streamOf(thenSilence(added('a', '1')))
      return searchParams.has('watch') ? streamOf(pieces()) : nestList([nest('a', '1')], { resourceVersion: '9' })
    })
    expect(await readAll(api, { initialEvents: true }, 31_000)).toMatchObject({
      batches: [['ADDED a']],
      end: expect.stringMatching(/^Timeout: /) as string,
    })
    expect(await readAll(api, { initialEvents: true })).toEqual({ batches: [['ADDED a'], ['BOOKMARK 9 end']], end: 'ended' })
  })

  test('once they are complete a quiet kind is welcome', async () => {
    const stop = new AbortController()
    const api = scriptedApi(() => streamOf(thenSilence(initialEnd('7'))))
    const reading = readAll(api, { initialEvents: true, signal: stop.signal }, 90_000)
    await Promise.resolve()
    api.clock.after(80_000, () => stop.abort())
    expect(await reading).toEqual({ batches: [['BOOKMARK 7 end']], end: 'ended' })
  })
})

describe('the end', () => {
  test('comes without an error when the signal is aborted, at any stage', async () => {
    for (const body of [thenSilence(), thenSilence(added('a', '2'))]) {
      const stop = new AbortController()
      const api = scriptedApi(() => streamOf(body))
      api.clock.after(10, () => stop.abort(new Error('enough')))
      expect((await readAll(api, { resourceVersion: '1', signal: stop.signal }, 20)).end).toBe('ended')
    }
    const aborted = scriptedApi(() => failed(500, 'InternalError'))
    expect(await readAll(aborted, { resourceVersion: '1', signal: AbortSignal.abort() })).toEqual({ batches: [], end: 'ended' })
  })

  test('comes to all watches when the store is closed', async () => {
    const api = scriptedApi(() => streamOf(thenSilence(added('a', '2'))))
    api.clock.after(10, () => void api.store.close())
    expect(await readAll(api, { resourceVersion: '1' }, 20)).toEqual({ batches: [['ADDED a']], end: 'ended' })
    expect((await readAll(api, { resourceVersion: '1' })).end).toBe('ServiceUnavailable: the store is closed')
  })

  test('who stops reading closes the connection', async () => {
    let closed = false
    const api = scriptedApi(({ signal }) => {
      signal.addEventListener('abort', () => (closed = true))
      return streamOf(
        (async function* () {
          try {
            yield added('a', '2')
            yield added('b', '3')
          } finally {
            closed = true
          }
        })(),
      )
    })
    for await (const _ of api.store.watch(Nest, { resourceVersion: '1', signal: new AbortController().signal })) break
    await api.clock.advance(0)
    expect(closed).toBe(true)
  })
})
