import { fastify } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Access } from '../../../src/access/index.ts'
import { apiServer } from '../../../src/apiserver/index.ts'
import { allKinds, Namespace } from '../../../src/kinds/index.ts'
import { prometheusMetrics, realChance, realClock, silentLog } from '../../../src/ports/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { engineAt } from './engine.ts'

/** Everybody may do everything: these tests are about the engine. */
const openDoor: Access = {
  authenticate: async () => ({ name: 'anybody', groups: [] }),
  authorize: () => ({ allowed: true, reason: '' }),
  throttle: () => undefined,
  audit: () => {},
}

/** Aviary's own API server on a real port of the loopback, over a store in memory, and an engine that reaches it. */
export async function startOwnServer() {
  const clock = realClock()
  const chance = realChance()
  const inner = memoryStore({ kinds: allKinds, clock, chance })
  const app = fastify({ logger: false, forceCloseConnections: true })
  await app.register(apiServer, {
    store: inner,
    kinds: allKinds,
    access: openDoor,
    clock,
    chance,
    log: silentLog,
    metrics: prometheusMetrics(),
    version: '0.0.0',
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const engine = engineAt(url)
  return {
    url,
    inner,
    engine,
    /** A namespace that nobody else uses. */
    namespace: async () => (await engine.store.create(Namespace, { metadata: { generateName: 'try-' } })).metadata.name,
    async stop() {
      await engine.close()
      await app.close()
      await inner.close()
    },
  }
}
