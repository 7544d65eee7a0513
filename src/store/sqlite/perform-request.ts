import { takeIn } from './commits/take-in.ts'
import { writeCopy } from './copy-file.ts'
import type { Database } from './database.ts'
import type { KeeperRequest } from './database-keeper.ts'
import type { RevisionLog } from './revision-log.ts'

/** Does what a keeper is asked for, on the database that it has open. */
export function performRequest(request: KeeperRequest, database: Database, log: RevisionLog): boolean {
  switch (request.do) {
    case 'take in':
      takeIn(log, request.segment, request.end)
      return true
    case 'clear':
      log.clear(request.revisions, request.compacted)
      return true
    case 'vacuum':
      return log.vacuum(request.pages, request.keep)
    case 'checkpoint':
      log.checkpoint()
      return true
    case 'copy':
      writeCopy(database, request.to)
      return true
    case 'close':
      database.close()
      return true
  }
}
