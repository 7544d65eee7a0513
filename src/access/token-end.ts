import { parseTime } from '../ports/index.ts'
import type { AccessToken } from '../kinds/index.ts'

/** Until when a token is good, in milliseconds since 1970; `Infinity` if it does not end. */
export function tokenEnd({ metadata, spec }: AccessToken): number {
  // A token that is being deleted is as good as gone, even if somebody's finalizer still holds it.
  if (metadata.deletionTimestamp !== undefined) return -Infinity
  return spec.expires === undefined ? Infinity : parseTime(spec.expires)
}
