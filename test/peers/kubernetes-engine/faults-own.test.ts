import { faultSuite } from './fault-suite.ts'
import { startOwnServer } from './own-server.ts'

faultSuite("Aviary's own API server", async () => {
  const own = await startOwnServer()
  return { direct: own.engine.store, newNamespace: own.namespace, upstream: { url: own.url }, stop: () => own.stop() }
})
