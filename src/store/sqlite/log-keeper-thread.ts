/** The thread behind LogKeeper: opens the database and does what it is asked to. */
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './database.ts'
import type { KeeperAnswer, KeeperRequest } from './log-keeper.ts'
import { RevisionLog } from './revision-log.ts'

const { file } = workerData as { readonly file: string }
const log = new RevisionLog(connect(file))

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
  if ('clear' in request) log.clear(request.clear, request.compacted)
  else if ('vacuum' in request) return log.vacuum(request.vacuum, request.keep)
  else if ('checkpoint' in request) log.checkpoint(request.checkpoint)
  else log.close()
  return true
}
