import type { Kind, ObjectMeta, Resource } from '../../kinds/index.ts'
import { StoreError } from '../errors.ts'
import type { WatchEvent } from '../store.ts'
import { Stored } from '../stored.ts'
import { received } from './received.ts'
import { errorFromStatus, isStatus } from './status-error.ts'

/** Marks the bookmark that ends the initial events. */
const initialEventsEnd = 'k8s.io/initial-events-end'

/** What one line of a watch says. Throws what an ERROR event stands for: Expired for a revision that is no longer kept. */
export function watchEvent<R extends Resource>(kind: Kind<R>, line: string): WatchEvent<R> {
  const { type, object } = parsed(line) ?? {}
  if (type === 'ERROR' && isStatus(object)) throw errorFromStatus(kind, object)
  // Never skipped: an event that was not understood is a change that nobody would learn of.
  if (!isObject(object)) throw notUnderstood(kind)
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, item: Stored.fromObject(received(kind, object)) }
    case 'BOOKMARK': {
      const { resourceVersion = '', annotations } = object.metadata
      return { type, resourceVersion, initialEventsEnd: annotations?.[initialEventsEnd] === 'true' }
    }
    default:
      throw notUnderstood(kind)
  }
}

function parsed(line: string): { readonly type?: unknown; readonly object?: unknown } | null {
  try {
    return JSON.parse(line) as { readonly type?: unknown; readonly object?: unknown } | null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is { readonly metadata: ObjectMeta } {
  return typeof value === 'object' && value !== null && 'metadata' in value && typeof value.metadata === 'object' && value.metadata !== null
}

function notUnderstood(kind: Kind): StoreError {
  return new StoreError('InternalError', `the watch of ${kind.plural} sent a line that is no event`, {
    group: kind.group,
    kind: kind.plural,
  })
}
