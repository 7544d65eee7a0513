import { AcknowledgedRevision } from './acknowledged.ts'
import { copyDatabase } from './copy.ts'
import type { Database } from './database.ts'
import { installationOf, RevisionLog, type Row } from './log.ts'

/*
 * Without imports from other modules: the database thread loads this, and should start quickly.
 */

/** What the database thread is asked for. */
export type DatabaseRequest =
  /** Nothing: the answer says that the connection is open. */
  | { readonly do: 'connect' }
  /** Make rows durable and remove others, in one transaction. */
  | { readonly do: 'commit'; readonly rows: readonly Row[]; readonly removed: readonly number[]; readonly compacted: number }
  /** Find out whether a commit would succeed. */
  | { readonly do: 'probe' }
  /** Return free space to the file system. */
  | { readonly do: 'vacuum' }
  /** Write a backup to a file that does not exist yet. */
  | { readonly do: 'backup'; readonly to: string }
  | { readonly do: 'close' }

/** Performs requests on a connection. */
export class DatabaseRequests {
  readonly #database: Database
  readonly #log: RevisionLog
  readonly #acknowledged: AcknowledgedRevision

  constructor(database: Database, file: string) {
    this.#database = database
    this.#log = new RevisionLog(database)
    this.#acknowledged = new AcknowledgedRevision(file, installationOf(database) ?? '')
  }

  /** Throws, or rejects with, an error of SQLite or of the system. */
  perform(request: DatabaseRequest): Promise<void> | void {
    switch (request.do) {
      case 'connect':
        return
      case 'commit':
        this.#log.commit(request)
        return this.#acknowledged.write(request.rows.at(-1)![0])
      case 'probe':
        return this.#log.probe()
      case 'vacuum':
        return this.#log.vacuum()
      case 'backup':
        return copyDatabase(this.#database, request.to)
      case 'close':
        this.#acknowledged.close()
        return this.#database.close()
    }
  }
}
