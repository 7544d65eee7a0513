import type { Store } from '../../store/index.ts'

/** A store some of whose calls are replaced. */
export function changedStore(store: Store, calls: Partial<Store>): Store {
  return new Proxy(store, { get: (target, name) => calls[name as keyof Store] ?? Reflect.get(target, name, target)?.bind(target) })
}
