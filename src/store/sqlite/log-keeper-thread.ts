/** The thread behind LogKeeper: opens the database and does what it is asked to. */
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './database.ts'
import type { KeeperAnswer, KeeperRequest } from './log-keeper.ts'
import { RevisionLog } from './revision-log.ts'
import { writeAheadLog } from './write-ahead-log.ts'

const { file } = workerData as { readonly file: string }
const database = connect(file)
const log = new RevisionLog(database, writeAheadLog(database, file))

parentPort!.postMessage({ ready: true } satisfies KeeperAnswer, [])
parentPort!.on('message', (request: KeeperRequest) => {
  parentPort!.postMessage(answer(request), [])
})

function answer(request: KeeperRequest): KeeperAnswer {
  try {
    return { result: perform(request) }
  } catch (error) {
    const { message, errcode } = error as { readonly message: string; readonly errcode?: number }
    return { message, errcode }
  }
}

function perform(request: KeeperRequest): boolean {
  if ('append' in request) log.append(request.append)
  else if ('clear' in request) log.clear(request.clear, request.compacted)
  else if ('vacuum' in request) return log.vacuum(request.vacuum, request.keep)
  else if ('checkpoint' in request) log.checkpoint()
  else log.close()
  return true
}
