/** The thread behind DatabaseKeeper: opens the database and does what it is asked to. */
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './database.ts'
import type { KeeperAnswer, KeeperRequest } from './database-keeper.ts'
import { performRequest } from './perform-request.ts'
import { RevisionLog } from './revision-log.ts'

const { file } = workerData as { readonly file: string }
const database = connect(file)
const log = new RevisionLog(database)

parentPort!.on('message', (request: KeeperRequest) => {
  parentPort!.postMessage(answer(request), [])
})

function answer(request: KeeperRequest): KeeperAnswer {
  try {
    return { result: performRequest(request, database, log) }
  } catch (error) {
    const { message, code, errcode } = error as { readonly message: string; readonly code?: string; readonly errcode?: number }
    return { message, code, errcode }
  }
}
