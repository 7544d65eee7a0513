import fc from 'fast-check'
import { Nest } from '../../kinds/index.ts'
import { StoreError } from '../errors.ts'
import type { Store } from '../store.ts'

/** Something done to one of a few nests: enough to make every kind of history. */
export type NestChange =
  | {
      readonly name: string
      readonly eggs: number
      readonly labels: Readonly<Record<string, string>>
      readonly material: Nest['spec']['material']
    }
  | { readonly name: string; readonly remove: true }

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')

/** Any change, among few names, labels and values so that they meet. */
export const nestChange: fc.Arbitrary<NestChange> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      name,
      eggs: fc.integer({ min: 0, max: 3 }),
      labels: fc.dictionary(fc.constantFrom('tree', 'side'), fc.constantFrom('oak', 'elm', 'north')),
      material: fc.constantFrom('twig' as const, 'moss' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ name, remove: fc.constant(true as const) }) },
)

/** Does it: makes, replaces or removes the nest. Removing what is not there does nothing. */
export async function applyChange(store: Store, namespace: string, change: NestChange): Promise<void> {
  const key = { namespace, name: change.name }
  const existing = await store.get(Nest, key).catch((error: unknown) => {
    if (StoreError.is(error, 'NotFound')) return undefined
    throw error
  })
  if ('remove' in change) {
    if (existing !== undefined) await store.delete(Nest, key)
    return
  }
  const { eggs, labels, material } = change
  if (existing === undefined) await store.create(Nest, { metadata: { ...key, labels }, spec: { eggs, material } })
  else await store.update(Nest, { ...existing, metadata: { ...existing.metadata, labels }, spec: { eggs, material } })
}
