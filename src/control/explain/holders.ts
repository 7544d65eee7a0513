import type { Resource } from '../../kinds/index.ts'

/** What keeps an object that is being deleted: its finalizers. A namespace has one of its own in the spec, for all that is in it. */
export function holdersOf(object: Resource & { readonly spec?: { readonly finalizers?: readonly string[] } }): readonly string[] {
  const { metadata, spec } = object
  return [...(metadata.finalizers ?? []), ...(object.kind === 'Namespace' ? (spec?.finalizers ?? []) : [])]
}
