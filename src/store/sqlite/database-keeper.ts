import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'

/** What the keeper is asked to do. */
export type KeeperRequest =
  /** Move the commits of a segment into the database. */
  | { readonly do: 'take in'; readonly segment: string; readonly end: number }
  /** Remove rows. */
  | { readonly do: 'clear'; readonly revisions: readonly number[]; readonly compacted: number }
  /** Give free pages back; false if there are few. */
  | { readonly do: 'vacuum'; readonly pages: number; readonly keep: number }
  | { readonly do: 'checkpoint' }
  | { readonly do: 'copy'; readonly to: string }
  | { readonly do: 'close' }

/** What it says: what came of a request, or why nothing did. */
export type KeeperAnswer =
  | { readonly result: boolean }
  | { readonly message: string; readonly code: string | undefined; readonly errcode: number | undefined }

interface Waiting {
  resolve(result: boolean): void
  reject(error: unknown): void
}

/** A thread with a connection to the database, for all that would hold up this one. Requests are done one after another. */
export class DatabaseKeeper {
  readonly #worker: Worker
  readonly #waiting: Waiting[] = []
  #ended: Error | undefined

  constructor(file: string) {
    this.#worker = new Worker(new URL('database-keeper-thread.ts', import.meta.url), {
      workerData: { file },
      name: 'aviary store',
      env: environment(),
      // Rows come and go: more room would only be filled before it is cleared.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    // An idle keeper is no reason to stay alive.
    this.#worker.unref()
    this.#worker.on('message', (answer: KeeperAnswer) => this.#hear(answer))
    this.#worker.on('error', error => this.#end(error instanceof Error ? error : new Error(String(error))))
    this.#worker.on('exit', () => this.#end(new Error('the thread that keeps the database has ended')))
  }

  /** True once it is of no more use, by its own fault or because it was stopped. */
  get ended(): boolean {
    return this.#ended !== undefined
  }

  /** Resolves when it is done; rejects with an error that has the `errcode` of SQLite's or the `code` of the system's. */
  do(request: KeeperRequest): Promise<boolean> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    this.#waiting.push({ resolve, reject })
    this.#worker.ref()
    this.#worker.postMessage(request, [])
    return promise
  }

  /** Ends the thread, after what it has been asked for. */
  async stop(): Promise<void> {
    await this.do({ do: 'close' }).catch(() => {})
    await this.#worker.terminate()
  }

  #hear(answer: KeeperAnswer): void {
    const waiting = this.#waiting.shift()!
    if (this.#waiting.length === 0) this.#worker.unref()
    if ('result' in answer) waiting.resolve(answer.result)
    else waiting.reject(Object.assign(new Error(answer.message), { code: answer.code, errcode: answer.errcode }))
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#ended)
  }
}

/** A thread does not use the cache of compiled code by itself. Without it, it would load what strips types, which is large. */
function environment(): NodeJS.ProcessEnv {
  const compiled = getCompileCacheDir()
  // Inside the folder that was asked for Node makes one for each version of itself, and tells that.
  return compiled === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(compiled) }
}
