import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DatabaseRequest } from './requests.ts'

/** What came of a request. */
export interface DatabaseAnswer {
  readonly id: number
  /** Errors of SQLite and of the system lose their codes when they are cloned, so these are sent beside the message. */
  readonly error?: { readonly message: string; readonly code: string | undefined; readonly errcode: number | undefined }
}

interface Pending {
  resolve(): void
  reject(error: unknown): void
}

/**
 * The thread that owns the only connection to the database, so that a slow disk never blocks the event loop. Requests are performed
 * in the order in which they are sent, except that a backup goes on beside later requests.
 */
export class DatabaseWorker {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  #ended: Error | undefined

  constructor(file: string) {
    this.#worker = new Worker(new URL('worker-thread.ts', import.meta.url), {
      workerData: { file },
      name: 'aviary database',
      env: environment(),
    })
    // An idle worker must not keep the process alive.
    this.#worker.unref()
    this.#worker.on('message', (answer: DatabaseAnswer) => this.#settle(answer))
    this.#worker.on('error', error => this.#end(error instanceof Error ? error : new Error(String(error))))
    this.#worker.on('exit', () => this.#end(new Error('the database thread has ended')))
  }

  /** Resolves when it is done; rejects with an error that has the `errcode` of SQLite or the `code` of the system. */
  perform(request: DatabaseRequest): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const id = ++this.#lastId
    this.#pending.set(id, { resolve, reject })
    this.#worker.ref()
    this.#worker.postMessage({ id, request }, [])
    return promise
  }

  /** Closes the connection after everything that was asked for, and ends the thread. Rejects if the connection cannot be closed. */
  async close(): Promise<void> {
    try {
      await this.perform({ do: 'close' })
    } finally {
      await this.#worker.terminate()
    }
  }

  #settle({ id, error }: DatabaseAnswer): void {
    const pending = this.#pending.get(id)!
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#worker.unref()
    if (error === undefined) pending.resolve()
    else pending.reject(Object.assign(new Error(error.message), { code: error.code, errcode: error.errcode }))
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const { reject } of this.#pending.values()) reject(this.#ended)
    this.#pending.clear()
  }
}

/** A thread does not use the compile cache by itself. Without it, it would load what strips types, which is large. */
function environment(): NodeJS.ProcessEnv {
  const compiled = getCompileCacheDir()
  // Node makes a folder for each of its versions inside the one that was asked for, and returns that.
  return compiled === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(compiled) }
}
