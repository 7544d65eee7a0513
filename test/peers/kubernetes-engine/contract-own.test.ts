import { storeContract } from '../../../src/store/contract.ts'
import { startOwnServer } from './own-server.ts'

storeContract("kubernetes, at Aviary's own API server", async () => {
  const own = await startOwnServer()
  return { store: own.engine.store, namespace: own.namespace, cleanup: () => own.stop() }
})
