import type { Store } from '../../store/index.ts'

/** A store that hands everything on, for tests that want one thing to be different: `{ ...passThrough(store), create: … }`. */
export function passThrough(store: Store): Store {
  return {
    get: (kind, key) => store.get(kind, key),
    list: (kind, options) => store.list(kind, options),
    watch: (kind, options) => store.watch(kind, options),
    create: (kind, draft, options) => store.create(kind, draft, options),
    update: (kind, object, options) => store.update(kind, object, options),
    delete: (kind, key, options) => store.delete(kind, key, options),
    close: () => store.close(),
  }
}
