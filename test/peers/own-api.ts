import { fastify } from 'fastify'
import type { Access, User } from '../../src/access/index.ts'
import { apiServer } from '../../src/apiserver/index.ts'
import { allKinds } from '../../src/kinds/index.ts'
import { prometheusMetrics, realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { memoryStore } from '../../src/store/index.ts'

const admin: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

/** Lets everybody do everything: who may do what is tested elsewhere. */
const openDoor: Access = {
  authenticate: async () => admin,
  authorize: () => ({ allowed: true, reason: '' }),
  namedRules: () => [],
  throttle: () => undefined,
  holdBytes: () => ({ [Symbol.dispose]: () => undefined }),
  audit: () => {},
}

/** Our API server over a store in memory, without TLS, on a free port of the loopback. */
export async function startOwnApi() {
  const clock = realClock()
  const chance = realChance()
  const store = memoryStore({ kinds: allKinds, clock, chance })
  const app = fastify({ forceCloseConnections: true })
  const room = { clock, chance, log: silentLog, metrics: prometheusMetrics(), version: '0.0.0' }
  await app.register(apiServer, { store, kinds: allKinds, access: openDoor, ...room })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    store,
    stop: async () => {
      await app.close()
      await store.close()
    },
  }
}
