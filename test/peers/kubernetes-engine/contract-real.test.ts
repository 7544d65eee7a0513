import { storeContract } from '../../../src/store/contract.ts'
import { startRealServer } from './real-server.ts'

storeContract(
  'kubernetes, at a real kube-apiserver',
  async () => {
    const real = await startRealServer()
    return { store: real.engine.store, namespace: real.namespace, cleanup: () => real.stop() }
  },
  { runs: 25 },
)
