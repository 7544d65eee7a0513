import type { Change } from './change.ts'

/** Where changes are made to last. The memory engine has none. */
export interface Journal {
  /**
   * Makes changes durable, all or none: at once, or by the time the promise resolves. Then they survive a power cut. When it
   * fails (with a StoreError) none of them is there; unless the disk itself failed, so that its content is unknown: then it refuses
   * everything from there on, and the next start finds all of them or none. One call at a time.
   */
  append(changes: readonly Change[]): Promise<void> | void
  /** These changes, and what was before them, have left the history: no list or watch can ask for them. Need not act at once. */
  forget(changes: readonly Change[], compacted: number): void
  /** Called once, after the last append. */
  close(): Promise<void>
}
