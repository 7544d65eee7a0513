import type { Resource } from '../../kinds/index.ts'
import { compareRevisions } from '../../store/index.ts'
import type { ObjectChange } from './handlers.ts'
import type { ObjectCache } from './object-cache.ts'

/** What leads from one state of an object to the next. An object that was deleted and made again is removed, then added. */
export function changesOf<R extends Resource>(old: R | undefined, object: R | undefined, initial: boolean): readonly ObjectChange<R>[] {
  if (old === undefined) return object === undefined ? [] : [{ type: 'added', object, initial }]
  if (object === undefined) return [{ type: 'removed', object: old }]
  if (old.metadata.uid !== object.metadata.uid) return [...changesOf(old, undefined, initial), ...changesOf<R>(undefined, object, initial)]
  if (old.metadata.resourceVersion === object.metadata.resourceVersion) return []
  return [{ type: 'changed', object, old }]
}

/**
 * What leads from the cache to a list that was read anew. With `newHistory` the store counts its revisions anew, so that two
 * states of one object may differ although their revisions do not.
 */
export function differences<R extends Resource>(
  cache: ObjectCache<R>,
  list: ReadonlyMap<string, R>,
  { initial, newHistory }: { readonly initial: boolean; readonly newHistory: boolean },
): readonly ObjectChange<R>[] {
  const changes: ObjectChange<R>[] = []
  for (const key of cache.keys()) if (!list.has(key)) changes.push(...changesOf(cache.get(key), undefined, initial))
  for (const [key, object] of list) {
    const old = cache.get(key)
    if (newHistory && old?.metadata.uid === object.metadata.uid && old !== undefined) changes.push({ type: 'changed', object, old })
    else changes.push(...changesOf(old, object, initial))
  }
  return changes
}

/**
 * What a list that shows `revision` proves to be wrong in a cache that has seen at least that revision. `removedSince` names the
 * keys that were removed while the list was read: that they are listed proves nothing.
 */
export function overlooked<R extends Resource>(
  cache: ObjectCache<R>,
  list: ReadonlyMap<string, R>,
  revision: string,
  removedSince: ReadonlySet<string>,
): readonly ObjectChange<R>[] {
  const changes: ObjectChange<R>[] = []
  for (const key of cache.keys()) {
    const cached = cache.get(key)
    if (cached === undefined || list.has(key) || compareRevisions(revisionOf(cached), revision) > 0) continue
    changes.push(...changesOf(cached, undefined, false))
  }
  for (const [key, object] of list) {
    const cached = cache.get(key)
    if (cached === undefined ? removedSince.has(key) : compareRevisions(revisionOf(cached), revisionOf(object)) >= 0) continue
    changes.push(...changesOf(cached, object, false))
  }
  return changes
}

/** The revision of an object's last change. */
export function revisionOf(object: Resource): string {
  return object.metadata.resourceVersion ?? ''
}
