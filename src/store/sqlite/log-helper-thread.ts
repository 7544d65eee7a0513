/** The thread behind LogHelper: opens the database and does what it is asked to. */
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './database.ts'
import type { HelperAnswer, HelperRequest } from './log-helper.ts'
import { RevisionLog } from './revision-log.ts'
import { writeAheadLog } from './write-ahead-log.ts'

const { file } = workerData as { readonly file: string }
const database = connect(file)
const log = new RevisionLog(database, writeAheadLog(database, file))

parentPort!.postMessage({ ready: true } satisfies HelperAnswer, [])
parentPort!.on('message', (request: HelperRequest) => {
  parentPort!.postMessage(answer(request), [])
})

function answer(request: HelperRequest): HelperAnswer {
  try {
    return { result: perform(request) }
  } catch (error) {
    const { message, errcode } = error as { readonly message: string; readonly errcode?: number }
    return { message, errcode }
  }
}

function perform(request: HelperRequest): boolean {
  if ('append' in request) log.append(request.append)
  else if ('clear' in request) log.clear(request.clear, request.compacted)
  else if ('vacuum' in request) return log.vacuum(request.vacuum, request.keep)
  else if ('checkpoint' in request) log.checkpoint()
  else log.close()
  return true
}
