import { StoreError, type StoreReason } from './errors.ts'

/**
 * For `catch`: undefined in the place of an error that a store gives for one of these reasons. Any other error goes on.
 *
 * @example
 * const nest = await store.get(Nest, key).catch(undefinedIf('NotFound'))
 */
export function undefinedIf(...reasons: readonly [StoreReason, ...StoreReason[]]): (error: unknown) => undefined {
  return error => {
    if (!StoreError.is(error, ...reasons)) throw error
  }
}
