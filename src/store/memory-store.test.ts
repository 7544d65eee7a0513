import { ConfigMap, Namespace, Nest } from '../kinds/index.ts'
import { seededChance, VirtualClock } from '../ports/index.ts'
import { storeContract } from './contract.ts'
import { memoryStore } from './memory-store.ts'

storeContract('memory', async () => {
  const store = memoryStore({ kinds: [Namespace, ConfigMap, Nest], clock: new VirtualClock(), chance: seededChance('memory') })
  const namespace = async () => {
    const made = await store.create(Namespace, { metadata: { generateName: 'test-' }, spec: {} })
    return made.metadata.name
  }
  return { store, namespace, cleanup: () => store.close() }
})
