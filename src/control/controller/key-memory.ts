import { compareRevisions } from '../../store/index.ts'
import type { Informers } from '../informer/informers.ts'
import type { Write } from './tracked-store.ts'

/** What later passes on a key must know about earlier ones. Losing it costs a needless pass, never a wrong one. */
export class KeyMemory {
  /** What passes wrote and the informers may not show yet. */
  readonly #unseen = new Map<string, Write[]>()
  /** The newest revision of the object that a pass has dealt with, its own writes included. */
  readonly #handled = new Map<string, string>()
  /** A revision that proved to be outdated although the informer still shows it. */
  readonly #outdated = new Map<string, string>()

  /** A pass on the key wrote something, its own object or another. */
  wrote(key: string, write: Write): void {
    const writes = this.#unseen.get(key)
    if (writes === undefined) this.#unseen.set(key, [write])
    else writes.push(write)
  }

  /** Whether passes on the key wrote something that nobody has waited for yet. */
  hasWrites(key: string): boolean {
    return this.#unseen.has(key)
  }

  /** Resolves when the informers show all that passes on the key wrote. */
  async seeWrites(key: string, informers: Informers, signal: AbortSignal): Promise<void> {
    const writes = this.#unseen.get(key)
    if (writes === undefined) return
    for (const { kind, shownBy } of writes) {
      const informer = informers.find(kind)
      if (informer !== undefined && !shownBy(informer)) await informer.until(() => shownBy(informer), signal)
    }
    this.#unseen.delete(key)
  }

  handled(key: string, revision: string): void {
    this.#handled.set(key, revision)
  }

  /** Whether a pass has already dealt with this state of the object: it is what that pass saw or wrote. */
  hasHandled(key: string, revision: string): boolean {
    const handled = this.#handled.get(key)
    return handled !== undefined && compareRevisions(revision, handled) <= 0
  }

  /** The store counts its revisions anew: nothing can be said about those from before. */
  forgetRevisions(): void {
    this.#unseen.clear()
    this.#handled.clear()
    this.#outdated.clear()
  }

  collided(key: string, revision: string): void {
    this.#outdated.set(key, revision)
  }

  /** The revision with which the last pass collided, if it did; once. */
  takeCollision(key: string): string | undefined {
    const revision = this.#outdated.get(key)
    if (revision !== undefined) this.#outdated.delete(key)
    return revision
  }

  forget(key: string): void {
    this.#unseen.delete(key)
    this.#handled.delete(key)
    this.#outdated.delete(key)
  }
}
