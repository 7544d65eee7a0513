import type { Draft, Resource } from '../../kinds/index.ts'

/** A whole object as what is handed in to replace it. The type checker cannot see that every object is one. */
export function asDraft<R extends Resource>(object: R): Draft<R> {
  return object
}
