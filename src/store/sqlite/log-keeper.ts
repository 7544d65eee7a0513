import { Worker } from 'node:worker_threads'
import type { Row } from './sealed-row.ts'

/** What the helper is asked to do, and what it answers with. */
export type KeeperRequest =
  | { readonly append: readonly Row[] }
  | { readonly clear: readonly number[]; readonly compacted: number }
  | { readonly vacuum: number; readonly keep: number }
  | { readonly checkpoint: true }
  | { readonly close: true }

export type KeeperAnswer =
  | { readonly ready: true }
  | { readonly result: boolean }
  | { readonly message: string; readonly errcode: number | undefined }

/**
 * A thread with a connection of its own to the database, for what would keep this one too long: large commits and clearing away.
 * While it waits for the disk, this thread reads, checks and answers. Requests are done one after another.
 */
export class LogKeeper {
  readonly #worker: Worker
  readonly #waiting: { resolve(result: boolean): void; reject(error: unknown): void }[] = []
  #ready = false
  #ended: Error | undefined

  constructor(file: string) {
    this.#worker = new Worker(new URL('log-keeper-thread.ts', import.meta.url), { workerData: { file }, name: 'aviary store' })
    // An idle helper is no reason to stay alive.
    this.#worker.unref()
    this.#worker.on('message', (answer: KeeperAnswer) => this.#answered(answer))
    this.#worker.on('error', error => this.#end(error instanceof Error ? error : new Error(String(error))))
    this.#worker.on('exit', () => this.#end(new Error('the thread that writes to the disk has ended')))
  }

  /** False until it has started, which takes a moment: what cannot wait is better done here. */
  get ready(): boolean {
    return this.#ready
  }

  /** True once it is of no more use, by its own fault or because it was stopped. */
  get ended(): boolean {
    return this.#ended !== undefined
  }

  /** True if it has nothing to do, so that whoever writes on another connection meets nobody. */
  get idle(): boolean {
    return this.#waiting.length === 0
  }

  /** Resolves when it is done; rejects with an error as SQLite's own, with `errcode`. */
  do(request: KeeperRequest): Promise<boolean> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.ref()
      this.#worker.postMessage(request, [])
    })
  }

  /** Ends the thread, after what it has been asked for. */
  async stop(): Promise<void> {
    await this.do({ close: true }).catch(() => {})
    await this.#worker.terminate()
  }

  #answered(answer: KeeperAnswer): void {
    if ('ready' in answer) {
      this.#ready = true
      return
    }
    const waiting = this.#waiting.shift()!
    if (this.#waiting.length === 0) this.#worker.unref()
    if ('result' in answer) waiting.resolve(answer.result)
    else waiting.reject(Object.assign(new Error(answer.message), { errcode: answer.errcode }))
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#ended)
  }
}
