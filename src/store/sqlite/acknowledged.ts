import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/*
 * The newest acknowledged revision, in a small file beside the database. SQLite opens a database whose write-ahead log was deleted,
 * truncated or damaged as if the commits in it had never been; this file tells. It is written after each commit and never synced:
 * after a power cut it may be older than the database, which is harmless, or unreadable, which counts as missing.
 */

/** The file beside a database. */
function acknowledgedFile(database: string): string {
  return `${database}-acknowledged`
}

/** Writes the file. A failure is ignored: the commit itself is durable, and an older revision is still a correct lower bound. */
export class AcknowledgedRevision {
  readonly #file: string
  readonly #installation: string
  #descriptor: number | undefined

  constructor(database: string, installation: string) {
    this.#file = acknowledgedFile(database)
    this.#installation = installation
  }

  write(revision: number): void {
    try {
      this.#descriptor ??= openForWriting(this.#file)
      // Always as long as before, in one call: a killed process leaves the old or the new text.
      writeSync(this.#descriptor, `revision ${String(revision).padStart(16, '0')} of ${this.#installation}\n`, 0)
    } catch {
      // See above.
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }
}

/** Not by truncating: the file must never be shorter than its text. */
function openForWriting(file: string): number {
  try {
    return openSync(file, 'r+')
  } catch {
    return openSync(file, 'w', 0o600)
  }
}

/** The newest revision acknowledged by an installation; undefined if that is not known. */
export function acknowledgedRevision(database: string, installation: string): number | undefined {
  try {
    const [, revision, owner] = /^revision (\d{16}) of (.+)\n/.exec(readFileSync(acknowledgedFile(database), 'utf8')) ?? []
    return owner === installation ? Number(revision) : undefined
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}
