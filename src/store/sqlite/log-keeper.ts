import { Worker } from 'node:worker_threads'

/** What the keeper is asked to do. */
export type KeeperRequest =
  | { readonly clear: readonly number[]; readonly compacted: number }
  | { readonly vacuum: number; readonly keep: number }
  | { readonly checkpoint: Checkpoint }
  | { readonly close: true }

/** Beside writers as far as that goes; so that the log begins anew; or so that it is empty. */
export type Checkpoint = 'PASSIVE' | 'RESTART' | 'TRUNCATE'

/** What it says: that it has started, what came of a request, or why nothing did. */
export type KeeperAnswer =
  | { readonly ready: true }
  | { readonly result: boolean }
  | { readonly message: string; readonly errcode: number | undefined }

interface Waiting {
  readonly writes: boolean
  resolve(result: boolean): void
  reject(error: unknown): void
}

/**
 * A thread with a connection of its own to the database, for the housekeeping that would hold up this one: moving the log into the
 * file, clearing away, giving space back. Requests are done one after another.
 */
export class LogKeeper {
  readonly #worker: Worker
  readonly #started = Promise.withResolvers<void>()
  readonly #waiting: Waiting[] = []
  #quiet: PromiseWithResolvers<void> | undefined
  #ended: Error | undefined

  constructor(file: string) {
    this.#worker = new Worker(new URL('log-keeper-thread.ts', import.meta.url), { workerData: { file }, name: 'aviary store' })
    // An idle keeper is no reason to stay alive.
    this.#worker.unref()
    this.#started.promise.catch(() => {})
    this.#worker.on('message', (answer: KeeperAnswer) => this.#hear(answer))
    this.#worker.on('error', error => this.#end(error instanceof Error ? error : new Error(String(error))))
    this.#worker.on('exit', () => this.#end(new Error('the thread that keeps the log has ended')))
  }

  /** True once it is of no more use, by its own fault or because it was stopped. */
  get ended(): boolean {
    return this.#ended !== undefined
  }

  /**
   * Undefined if it does not write just now; else resolves as soon as it has stopped. Whoever waits for this goes on before
   * whoever asked for the writing, so that housekeeping in many steps lets others in between.
   */
  whenQuiet(): Promise<void> | undefined {
    return this.#quiet?.promise
  }

  /** Resolves when it is done; rejects with an error as SQLite's own, with `errcode`. */
  async do(request: KeeperRequest): Promise<boolean> {
    await this.#started.promise
    if (this.#ended !== undefined) throw this.#ended
    const writes = !('checkpoint' in request && request.checkpoint === 'PASSIVE')
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    this.#waiting.push({ writes, resolve, reject })
    if (writes) this.#quiet ??= Promise.withResolvers()
    this.#worker.ref()
    this.#worker.postMessage(request, [])
    return promise
  }

  /** Ends the thread, after what it has been asked for. */
  async stop(): Promise<void> {
    await this.do({ close: true }).catch(() => {})
    await this.#worker.terminate()
  }

  #hear(answer: KeeperAnswer): void {
    if ('ready' in answer) return this.#started.resolve()
    const waiting = this.#waiting.shift()!
    if (this.#waiting.length === 0) this.#worker.unref()
    if (!this.#waiting.some(({ writes }) => writes)) this.#becomeQuiet()
    if ('result' in answer) waiting.resolve(answer.result)
    else waiting.reject(Object.assign(new Error(answer.message), { errcode: answer.errcode }))
  }

  #end(error: Error): void {
    this.#ended ??= error
    this.#started.reject(error)
    this.#becomeQuiet()
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#ended)
  }

  #becomeQuiet(): void {
    this.#quiet?.resolve()
    this.#quiet = undefined
  }
}
