import { Namespace } from '../../../src/kinds/index.ts'
import { startOwnApi } from '../own-api.ts'
import { engineAt } from './engine.ts'

/** Our API server, and an engine that reaches it. */
export async function startOwnServer() {
  const { url, store: inner, stop } = await startOwnApi()
  const engine = engineAt(url)
  return {
    url,
    inner,
    engine,
    /** A namespace that nobody else uses. */
    namespace: async () => (await engine.store.create(Namespace, { metadata: { generateName: 'try-' } })).metadata.name,
    async stop() {
      await engine.close()
      await stop()
    },
  }
}
