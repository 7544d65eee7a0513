import { startRealServer } from '../kubernetes-engine/real-server.ts'
import { failoverSuite } from './failover-suite.ts'

failoverSuite('over a real kube-apiserver', async () => {
  const real = await startRealServer()
  return { kubeconfig: real.server.kubeconfig, stop: () => real.stop() }
})
