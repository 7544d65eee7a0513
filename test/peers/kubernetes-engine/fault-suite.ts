import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { Informer } from '../../../src/control/index.ts'
import { Nest } from '../../../src/kinds/index.ts'
import { realChance, realClock, silentLog } from '../../../src/ports/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { engineAt, type Engine } from './engine.ts'
import { FaultProxy, type Fault, type Passing, type Upstream } from './fault-proxy.ts'
import { storm } from './storm.ts'

/** A server under test: its store reached directly, namespaces to work in, and how a proxy reaches it. */
export interface ServerUnderTest {
  readonly direct: Store
  newNamespace(): Promise<string>
  readonly upstream: Upstream
  stop(): Promise<void>
}

const spec = { eggs: 1, material: 'twig' as const }

/** What must hold whatever happens between the engine and its server. */
export function faultSuite(name: string, start: () => Promise<ServerUnderTest>): void {
  describe(`between the engine and ${name}`, () => {
    let server: ServerUnderTest
    let proxy: FaultProxy
    let engine: Engine
    const clock = realClock()
    let namespace: string
    const at = (objectName: string) => ({ namespace, name: objectName })

    beforeAll(async () => {
      server = await start()
      namespace = await server.newNamespace()
      proxy = await FaultProxy.start(server.upstream)
      engine = engineAt(proxy.url)
    })
    afterEach(() => {
      proxy.fault = () => undefined
    })
    afterAll(async () => {
      await engine.close()
      await proxy.stop()
      await server.stop()
    })

    /** Harms the next request of one method. */
    function once(method: string, fault: Fault): void {
      let done = false
      proxy.fault = request => {
        if (done || request.method !== method) return undefined
        done = true
        return fault
      }
    }
    const outcome = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error: { reason: string; details: { sent?: boolean } }) => `${error.reason}, sent ${error.details.sent}`,
      )

    test('a create that never arrived can be sent again', async () => {
      once('POST', 'cut before')
      const draft = { metadata: at('never-arrived'), spec }
      expect(await outcome(engine.store.create(Nest, draft))).toBe('ServiceUnavailable, sent true')
      expect(await outcome(engine.store.create(Nest, draft))).toBe('done')
    })

    test('a create whose answer was lost is done once, and its second try says so', async () => {
      once('POST', 'cut after')
      const draft = { metadata: at('lost'), spec }
      expect(await outcome(engine.store.create(Nest, draft))).toBe('ServiceUnavailable, sent true')
      expect(await outcome(engine.store.create(Nest, draft))).toBe('AlreadyExists, sent undefined')
    })

    test('a create with a generated name whose answer was lost can be found', async () => {
      once('POST', 'cut after')
      const draft = { metadata: { namespace: namespace, generateName: 'found-' }, spec }
      const error = await engine.store
        .create(Nest, draft)
        .catch((reason: unknown) => reason as { details: { name: string; sent: boolean } })
      expect(error).toMatchObject({ details: { sent: true, name: expect.stringMatching(/^found-/) as string } })
      if (!('details' in error)) throw new Error('it was answered')
      expect((await engine.store.get(Nest, at(error.details.name))).metadata.generateName).toBe('found-')
    })

    test('an update whose answer was lost is a conflict the second time', async () => {
      const made = await engine.store.create(Nest, { metadata: at('updated'), spec })
      once('PUT', 'cut after')
      const next = { ...made, spec: { ...spec, eggs: 7 } }
      expect(await outcome(engine.store.update(Nest, next))).toBe('ServiceUnavailable, sent true')
      expect(await outcome(engine.store.update(Nest, next))).toBe('Conflict, sent undefined')
      expect((await engine.store.get(Nest, at('updated'))).spec.eggs).toBe(7)
    })

    test('a delete whose answer was lost finds nothing the second time', async () => {
      await engine.store.create(Nest, { metadata: at('deleted'), spec })
      once('DELETE', 'cut after')
      expect(await outcome(engine.store.delete(Nest, at('deleted')))).toBe('ServiceUnavailable, sent true')
      expect(await outcome(engine.store.delete(Nest, at('deleted')))).toBe('NotFound, sent undefined')
    })

    test('a read whose answer was lost is simply read again', async () => {
      once('GET', 'cut after')
      expect(await outcome(engine.store.list(Nest, { namespace: namespace }))).toBe('done')
    })

    test('who waits for an answer that never comes stops when it likes', async () => {
      once('POST', 'hang')
      using deadline = clock.deadline(300)
      const writing = engine.store.create(Nest, { metadata: at('hanging'), spec }, { signal: deadline.signal })
      await expect(writing).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
    })

    test('a busy server is left alone as long as it asks, and then served', async () => {
      let refusals = 0
      proxy.fault = () => (refusals++ < 2 ? { status: 429, retryAfter: 1 } : undefined)
      expect(await outcome(engine.store.create(Nest, { metadata: at('patient'), spec }))).toBe('done')
      expect(refusals).toBe(3)
    })

    test('a write to a server that is away was certainly not sent, and is tried again for a moment', async () => {
      await proxy.goAway()
      const early = outcome(engine.store.create(Nest, { metadata: at('early'), spec }))
      expect(await outcome(engineAt('http://127.0.0.1:1').store.create(Nest, { metadata: at('early'), spec }))).toBe(
        'ServiceUnavailable, sent false',
      )
      await proxy.comeBack()
      expect(['done', 'ServiceUnavailable, sent false']).toContain(await early)
    })

    test('an idle informer makes no requests but its one watch', async () => {
      const informer = new Informer({
        store: engine.store,
        kind: Nest,
        clock,
        chance: realChance(),
        log: silentLog,
        selection: { namespace: namespace },
      })
      const before = proxy.requests.length
      informer.start()
      await informer.synced
      await sleep(3000)
      expect(proxy.requests.slice(before).map(({ method, watch }) => ({ method, watch }))).toEqual([{ method: 'GET', watch: true }])
      await informer.stop()
    })

    test.each([
      ['that streams lists', 60_000, () => undefined],
      ['that does not', 5_000, ({ url }: Passing): Fault | undefined => (url.includes('sendInitialEvents') ? { status: 422 } : undefined)],
    ])(
      'an informer of a server %s, in a storm of faults and while it is away for %i ms, never shows less than there is, and in the end exactly what there is',
      { timeout: 180_000 },
      async (_, away, always) => {
        const stormy = await server.newNamespace()
        const through = engineAt(proxy.url, { qps: 0, pageSize: 7 })
        const before = { ...proxy.done }
        const informer = new Informer({
          store: through.store,
          kind: Nest,
          clock,
          chance: realChance(),
          log: silentLog,
          selection: { namespace: stormy },
        })
        const { missing, looks, held, told, there } = await storm({
          direct: server.direct,
          namespace: stormy,
          proxy,
          informer,
          always,
          away,
        })
        await informer.stop()
        await through.close()
        expect(held).toEqual(there)
        expect(told).toEqual(there)
        expect(missing).toEqual([])
        expect(looks).toBeGreaterThan(100)
        expect(proxy.done.truncated).toBeGreaterThan(before.truncated)
        expect(proxy.done.expired).toBeGreaterThan(before.expired)
      },
    )
  })
}
