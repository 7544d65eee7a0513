import { join } from 'node:path'
import { workshop } from './aviary-process.ts'
import { failoverSuite } from './failover-suite.ts'

failoverSuite('over our own API server', async () => {
  const shop = await workshop()
  const server = await shop.start('cluster', '[server]\nlisten = "127.0.0.1:0"\ndataDir = "data"')
  await server.ready
  return { kubeconfig: join(shop.folder, 'data', 'kubeconfig'), stop: () => shop[Symbol.asyncDispose]() }
})
