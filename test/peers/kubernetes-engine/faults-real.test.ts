import { faultSuite } from './fault-suite.ts'
import { startRealServer } from './real-server.ts'

faultSuite('a real kube-apiserver', async () => {
  const real = await startRealServer()
  const { url, ca, adminToken: token } = real.server
  return { direct: real.engine.store, newNamespace: real.namespace, upstream: { url, ca, token }, stop: () => real.stop() }
})
