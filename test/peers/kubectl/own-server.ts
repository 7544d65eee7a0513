import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import type { Access, User } from '../../../src/access/index.ts'
import { apiServer } from '../../../src/apiserver/index.ts'
import { allKinds, Namespace } from '../../../src/kinds/index.ts'
import { prometheusMetrics, realChance, realClock, silentLog } from '../../../src/ports/index.ts'
import { memoryStore } from '../../../src/store/index.ts'

const admin: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

/** Lets everybody do everything: what kubectl may do is not what these tests are about. */
const open: Access = {
  authenticate: async () => admin,
  authorize: () => ({ allowed: true, reason: '' }),
  throttle: () => undefined,
  audit: () => {},
}

/** Our API server over a store in memory, on a free loopback port, with a kubeconfig that leads there. */
export async function startOwnServer() {
  const clock = realClock()
  const chance = realChance()
  const store = memoryStore({ kinds: allKinds, clock, chance })
  await store.create(Namespace, { metadata: { name: 'default' } })
  const app = fastify({ forceCloseConnections: true })
  const room = { clock, chance, log: silentLog, metrics: prometheusMetrics(), version: '0.0.0' }
  await app.register(apiServer, { store, kinds: allKinds, access: open, ...room })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const folder = mkdtempSync(join(tmpdir(), 'aviary-own-'))
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, kubeconfigOf(url))
  return {
    url,
    kubeconfig,
    stop: async () => {
      await app.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'own', cluster: { server } }],
    users: [{ name: 'admin', user: { token: 'any' } }],
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'admin' } }],
    'current-context': 'own',
  })
}
