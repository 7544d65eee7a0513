/** The database thread: owns the only connection to the database and does what DatabaseWorker asks for. */
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './database.ts'
import { DatabaseRequests, type DatabaseRequest } from './requests.ts'
import type { DatabaseAnswer } from './worker.ts'

const { file } = workerData as { readonly file: string }
const requests = new DatabaseRequests(connect(file), file)

parentPort!.on('message', ({ id, request }: { readonly id: number; readonly request: DatabaseRequest }) => {
  void answer(id, request)
})

async function answer(id: number, request: DatabaseRequest): Promise<void> {
  parentPort!.postMessage(await outcome(id, request), [])
}

async function outcome(id: number, request: DatabaseRequest): Promise<DatabaseAnswer> {
  try {
    await requests.perform(request)
    return { id }
  } catch (error) {
    const { message, code, errcode } = error as { readonly message: string; readonly code?: string; readonly errcode?: number }
    return { id, error: { message, code, errcode } }
  }
}
