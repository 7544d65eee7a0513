import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ConfigMap } from '../kinds/index.ts'
import { realClock } from '../ports/index.ts'
import { type Store, StoreError } from '../store/index.ts'
import { changedStore } from './testing/changed-store.ts'
import { hastyClock } from './testing/hasty-clock.ts'
import { nest, nests, testServer } from './testing/test-server.ts'

let server: Awaited<ReturnType<typeof testServer>>
let url: string
let open = 0

/** Counts the watches that the store still serves. */
function counting(store: Store): Store {
  const watch: Store['watch'] = async function* (kind, options) {
    open++
    try {
      yield* store.watch(kind, options)
    } finally {
      open--
    }
  }
  return changedStore(store, { watch })
}

beforeAll(async () => {
  server = await testServer({ clock: hastyClock(), wrap: counting })
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.send('DELETE', nests)
  await until(() => open === 0)
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await realClock().sleep(5)
}

const names = (events: readonly any[]) => events.map(({ type, object }) => `${type} ${object.metadata.name}`)
const patch = (name: string, body: object) =>
  server.send('PATCH', `${nests}/${name}`, { body, headers: { 'content-type': 'application/merge-patch+json' } })

describe('trap 3: WatchList', () => {
  test('first all there is, then a bookmark that says so with the revision of the list, then changes', async () => {
    for (const name of ['a', 'b']) await server.send('POST', nests, { body: nest(name) })
    const list = await server.send('GET', nests)
    const watch = await openWatch(
      `${url}${nests}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    )
    expect(names([await watch.next(), await watch.next()])).toEqual(['ADDED a', 'ADDED b'])
    expect(await watch.next()).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Nest',
        apiVersion: 'demo.aviary.dev/v1alpha1',
        metadata: { resourceVersion: list.body.metadata.resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    })
    await server.send('POST', nests, { body: nest('c') })
    expect(names([await watch.next()])).toEqual(['ADDED c'])
    watch.close()
  })
})

describe('trap 4: connections', () => {
  test('the head comes at once, and a watch whose request body has been read lives on', async () => {
    const watch = await openWatch(`${url}${nests}?watch=true&resourceVersion=1`)
    expect(watch.status).toBe(200)
    await realClock().sleep(20)
    await server.send('POST', nests, { body: nest('late') })
    let event = await watch.next()
    while (event.object.metadata.name !== 'late') event = await watch.next()
    watch.close()
  })

  test('a client that goes ends its watch in the store', async () => {
    const watch = await openWatch(`${url}${nests}?watch=true`)
    await until(() => open === 1)
    watch.close()
    await until(() => open === 0)
    expect(open).toBe(0)
  })

  test('a client that never reads is cut, and nobody else is slowed', async () => {
    const stuck = await openWatch(`${url}/api/v1/namespaces/wood/configmaps?watch=true`, { paused: true })
    const brisk = await openWatch(
      `${url}${nests}?watch=true&resourceVersion=${(await server.send('GET', nests)).body.metadata.resourceVersion}`,
    )
    await until(() => open === 2)
    const data = { text: 'x'.repeat(500_000) }
    for (let index = 0; index < 40; index++)
      await server.store.create(ConfigMap, { metadata: { generateName: 'big-', namespace: 'wood' }, data })
    await server.send('POST', nests, { body: nest('quick') })
    expect(names([await brisk.next()])).toEqual(['ADDED quick'])
    await until(() => open === 1)
    brisk.close()
    stuck.close()
    await server.send('DELETE', '/api/v1/namespaces/wood/configmaps')
  })

  test('more than a connection takes at once arrives whole, also at a client that takes its time', async () => {
    const data = { text: 'x'.repeat(100_000) }
    for (let index = 0; index < 60; index++)
      await server.store.create(ConfigMap, { metadata: { name: `big-${index}`, namespace: 'wood' }, data })
    const watch = await openWatch(`${url}/api/v1/namespaces/wood/configmaps?watch=true`)
    watch.response.pause()
    await realClock().sleep(50)
    watch.response.resume()
    const seen = new Set<string>()
    while (seen.size < 60) seen.add((await watch.next()).object.metadata.name)
    await server.store.create(ConfigMap, { metadata: { name: 'last', namespace: 'wood' } })
    expect(names([await watch.next()])).toEqual(['ADDED last'])
    watch.close()
    await server.send('DELETE', '/api/v1/namespaces/wood/configmaps')
  })

  test('thousands of idle watches are open at once, and end with their clients', async () => {
    const count = 2500
    const watches = await Promise.all(
      Array.from({ length: count }, () => openWatch(`${url}${nests}?watch=true&fieldSelector=metadata.name%3Dnobody`)),
    )
    await until(() => open === count)
    expect((await server.send('POST', nests, { body: nest('other') })).status).toBe(201)
    expect(await server.metrics.text()).toContain(`aviary_api_watches{resource="nests.demo.aviary.dev"} ${count}`)
    for (const watch of watches) watch.close()
    await until(() => open === 0)
    expect(await server.metrics.text()).toContain('aviary_api_watches{resource="nests.demo.aviary.dev"} 0')
  })

  test('a request that comes drop by drop does not keep others waiting', async () => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write(`POST ${nests} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`)
    await realClock().sleep(10)
    expect((await server.send('GET', nests)).status).toBe(200)
    socket.destroy()
  })
})

describe('trap 5: selectors', () => {
  test('an object that comes to match is ADDED, one that no longer does is DELETED', async () => {
    await server.send('POST', nests, { body: nest('a') })
    const watch = await openWatch(`${url}${nests}?watch=true&labelSelector=flock%3Dyes`)
    await until(() => open === 1)
    await patch('a', { metadata: { labels: { flock: 'yes' } } })
    await patch('a', { spec: { eggs: 3 } })
    await patch('a', { metadata: { labels: { flock: 'no' } } })
    await patch('a', { spec: { eggs: 4 } })
    await patch('a', { metadata: { labels: { flock: 'yes' } } })
    await server.send('DELETE', `${nests}/a`)
    const events = [await watch.next(), await watch.next(), await watch.next(), await watch.next(), await watch.next()]
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED', 'DELETED'])
    watch.close()
  })
})

describe('trap 8: revisions', () => {
  test('a watch from a revision sees exactly what came after it', async () => {
    await server.send('POST', nests, { body: nest('before') })
    const { resourceVersion } = (await server.send('GET', nests)).body.metadata
    await server.send('POST', nests, { body: nest('after') })
    const watch = await openWatch(`${url}${nests}?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=1`)
    expect(names(await watch.rest())).toEqual(['ADDED after'])
  })

  test('a revision that is no longer kept ends the watch with an ERROR event of code 410', async () => {
    const watch: Store['watch'] = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new StoreError('Expired', 'too old resource version: 1 (7)')) }),
    })
    const other = await testServer({
      clock: realClock(),
      wrap: store => changedStore(store, { watch }),
    })
    const answer = await other.send('GET', `${nests}?watch=true&resourceVersion=1`)
    expect(answer).toMatchObject({
      status: 200,
      body: { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', status: 'Failure' } },
    })
    await other.close()
  })
})

describe('the end of a watch', () => {
  test('it ends without an error when its time is up', async () => {
    const watch = await openWatch(`${url}${nests}?watch=true&timeoutSeconds=1`)
    expect(await watch.rest()).toEqual([])
    expect(watch.response.complete).toBe(true)
  })

  test('it ends without an error when the server stops', async () => {
    const other = await testServer({ clock: realClock() })
    const at = await other.app.listen({ host: '127.0.0.1', port: 0 })
    const watch = await openWatch(`${at}${nests}?watch=true`)
    await other.close()
    expect(await watch.rest()).toEqual([])
    expect(watch.response.complete).toBe(true)
  })
})

describe('tables', () => {
  test('the headings come with the first event only', async () => {
    for (const name of ['a', 'b']) await server.send('POST', nests, { body: nest(name) })
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const watch = await openWatch(`${url}${nests}?watch=true`, { headers: { accept } })
    const [first, second] = [await watch.next(), await watch.next()]
    expect(first.object.columnDefinitions.map((definition: { name: string }) => definition.name)).toContain('Eggs')
    expect(second.object.columnDefinitions).toBeNull()
    expect(second.object.rows[0].cells[0]).toBe('b')
    watch.close()
  })
})

/** A client that reads, or refuses to read, what a watch sends. */
interface OpenWatch {
  readonly status: number
  readonly response: IncomingMessage
  /** The next event; rejects if the stream ends first. */
  next(): Promise<any>
  /** Resolves to the events that were not yet taken when the stream ended. */
  rest(): Promise<readonly any[]>
  close(): void
}

/** Opens a stream on a real port; resolves when its head is there. */
function openWatch(
  address: string,
  { paused = false, headers = {} }: { paused?: boolean; headers?: Record<string, string> } = {},
): Promise<OpenWatch> {
  const { promise, resolve, reject } = Promise.withResolvers<OpenWatch>()
  const request = get(address, { headers, agent: false }, response => resolve(reading(response, paused, () => request.destroy())))
  request.on('error', reject)
  return promise
}

function reading(response: IncomingMessage, paused: boolean, close: () => void): OpenWatch {
  const events: any[] = []
  let buffered = ''
  let ended = false
  let wake = () => {}
  const take = (text: string) => {
    const lines = (buffered + text).split('\n')
    buffered = lines.pop()!
    events.push(...lines.map(line => JSON.parse(line)))
    wake()
  }
  const end = () => {
    ended = true
    wake()
  }
  response.setEncoding('utf8').on('close', end).on('end', end).on('error', end)
  if (paused) response.pause()
  else response.on('data', take)
  const change = () => new Promise<void>(done => (wake = done))
  return {
    status: response.statusCode!,
    response,
    close,
    next: async () => {
      while (events.length === 0) {
        if (ended) throw new Error('the stream ended')
        await change()
      }
      return events.shift()
    },
    rest: async () => {
      while (!ended) await change()
      return events.splice(0)
    },
  }
}
