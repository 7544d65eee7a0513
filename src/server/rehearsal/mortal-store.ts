import type { Store } from '../../store/index.ts'

/** One program's way to a store that outlives it. */
export interface MortalStore {
  readonly store: Store
  /** The program is gone: no call is answered any more, and none is carried out. */
  die(): void
}

/** The same store, until the program that uses it dies. */
export function mortalStore(store: Store): MortalStore {
  let isDead = false
  const never = () => new Promise<never>(() => {})
  const guard = <T>(act: () => Promise<T>): Promise<T> =>
    isDead
      ? never()
      : act().then(
          result => (isDead ? never() : result),
          (error: unknown) => (isDead ? never() : Promise.reject(error)),
        )
  return {
    store: {
      get: (kind, key) => guard(() => store.get(kind, key)),
      list: (kind, options) => guard(() => store.list(kind, options)),
      create: (kind, draft, options) => guard(() => store.create(kind, draft, options)),
      update: (kind, object, options) => guard(() => store.update(kind, object, options)),
      delete: (kind, key, options) => guard(() => store.delete(kind, key, options)),
      watch: (kind, options) => ({
        [Symbol.asyncIterator]: () => {
          const source = store.watch(kind, options)[Symbol.asyncIterator]()
          return {
            next: () => guard(() => source.next()),
            return: async () => (await source.return?.()) ?? { done: true, value: undefined },
          }
        },
      }),
      close: () => guard(() => store.close()),
    },
    die: () => {
      isDead = true
    },
  }
}
