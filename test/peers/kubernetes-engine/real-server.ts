import { Namespace, Nest } from '../../../src/kinds/index.ts'
import { realClock } from '../../../src/ports/index.ts'
import { installCrds } from '../../../src/store/index.ts'
import { startKubeApiserver } from '../peer.ts'
import { engineFrom } from './engine.ts'

/** A kube-apiserver that serves Nest, and an engine that reaches it. */
export async function startRealServer() {
  const server = await startKubeApiserver()
  try {
    const engine = await engineFrom(server.kubeconfig)
    await installCrds({ store: engine.store, kinds: [Nest], version: '0.0.0', clock: realClock() })
    return {
      server,
      engine,
      /** A namespace that nobody else uses. */
      namespace: async () => (await engine.store.create(Namespace, { metadata: { generateName: 'try-' } })).metadata.name,
      async stop() {
        await engine.close()
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}
