import { afterAll, beforeAll, describe } from 'vitest'
import { believing } from './contract/believing.ts'
import { creating } from './contract/creating.ts'
import { deleting } from './contract/deleting.ts'
import { listing } from './contract/listing.ts'
import type { Subject } from './contract/subject.ts'
import { updating } from './contract/updating.ts'
import { validating } from './contract/validating.ts'
import { watching } from './contract/watching.ts'

/**
 * What every store promises, as tests. It runs on each engine, also on a Kubernetes API server that is not ours: so it uses only
 * the kinds Nest and ConfigMap, stays in the namespaces that it is given, and demands only what Kubernetes also keeps.
 *
 * @example
 * storeContract('memory', async () => {
 *   const store = memoryStore({ kinds: [Namespace, ConfigMap, Nest], clock, chance })
 *   return { store, namespace: () => newNamespace(store), cleanup: () => store.close() }
 * })
 */
export function storeContract(name: string, make: () => Promise<Subject>, options: { readonly runs?: number } = {}): void {
  describe(`the contract of a store: ${name}`, () => {
    let subject: Subject | undefined
    const theSubject = () => subject!
    beforeAll(async () => {
      subject = await make()
    })
    afterAll(() => subject?.cleanup())

    creating(theSubject)
    validating(theSubject)
    updating(theSubject)
    deleting(theSubject)
    listing(theSubject)
    watching(theSubject)
    believing(theSubject, options.runs ?? 100)
  })
}
