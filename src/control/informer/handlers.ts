import type { Log } from '../../ports/index.ts'
import type { Resource } from '../../kinds/index.ts'

/** What somebody wants to hear about the objects of a kind. Called in the order of events; it should take note and return. */
export interface InformerHandler<R extends Resource> {
  /** `initial` if it was there before the handler came. */
  readonly added?: (object: R, initial: boolean) => void
  readonly changed?: (object: R, old: R) => void
  /** With the last state that was seen. */
  readonly removed?: (object: R) => void
  /** The store was restored and counts anew: revisions from before mean nothing any more. Told before the changes are. */
  readonly restored?: () => void
}

/** One thing that happened to an object. */
export type ObjectChange<R extends Resource> =
  | { readonly type: 'added'; readonly object: R; readonly initial: boolean }
  | { readonly type: 'changed'; readonly object: R; readonly old: R }
  | { readonly type: 'removed'; readonly object: R }

/** What handlers are told. */
type News<R extends Resource> = ObjectChange<R> | { readonly type: 'restored' }

/** Tells every handler of a change. A handler that throws or rejects is logged and harms nobody else. */
export class Handlers<R extends Resource> {
  readonly #handlers = new Set<InformerHandler<R>>()
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** Returns how to take it away again. */
  add(handler: InformerHandler<R>): () => void {
    // A copy, so that adding one handler twice gives two that leave separately.
    const own = { ...handler }
    this.#handlers.add(own)
    return () => void this.#handlers.delete(own)
  }

  tell(news: News<R>): void {
    for (const handler of this.#handlers) this.tellOne(handler, news)
  }

  tellOne(handler: InformerHandler<R>, news: News<R>): void {
    try {
      const result: unknown = call(handler, news)
      if (result instanceof Promise) result.catch((error: unknown) => this.#failed(error, news))
    } catch (error) {
      this.#failed(error, news)
    }
  }

  clear(): void {
    this.#handlers.clear()
  }

  #failed(error: unknown, news: News<R>): void {
    const { namespace, name }: { namespace?: string; name?: string } = news.type === 'restored' ? {} : news.object.metadata
    this.#log.error('an informer handler failed', { error, news: news.type, namespace, name })
  }
}

function call<R extends Resource>(handler: InformerHandler<R>, news: News<R>): void {
  if (news.type === 'added') return handler.added?.(news.object, news.initial)
  if (news.type === 'changed') return handler.changed?.(news.object, news.old)
  return news.type === 'removed' ? handler.removed?.(news.object) : handler.restored?.()
}
