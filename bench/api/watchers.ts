/**
 * A thread that watches all nests many times over, each on a connection of its own, and notes how long after its patch each event
 * was there. Says `ready` when all watch; answers any message with what it has seen so far.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Address, Client } from './client.ts'
import { nestsPath, nowMicroseconds } from './nests.ts'

/** What the thread is told. */
export interface WatchersOrder {
  readonly address: Address
  readonly watchers: number
  /** How many events all of them will see together. */
  readonly events: number
}

/** What the thread has seen. */
export interface Seen {
  /** Milliseconds from before the patch was sent until its event was received. */
  readonly delays: Float64Array
  /** Watches that the server ended; they went on from where they were, as those of client-go do. */
  readonly closed: number
}

const { address, watchers, events } = workerData as WatchersOrder
const delays = new Float64Array(events)
let seen = 0
let closed = 0
const mark = '"at":"'
const newline = 10

const client = new Client(address, watchers + 1)
const page = Buffer.from(await client.read(`${nestsPath}?limit=1`)).toString()
const [, start = ''] = /^\{.*?"metadata":\{.*?"resourceVersion":"(\d+)"/.exec(page) ?? []
await Promise.all(Array.from({ length: watchers }, () => watch(start)))
parentPort?.on('message', () => parentPort?.postMessage({ delays: delays.slice(0, seen), closed } satisfies Seen, []))
parentPort?.postMessage('ready', [])

/** Resolves when the watch has begun. */
async function watch(resourceVersion: string): Promise<void> {
  const { body } = await client.open(`${nestsPath}?watch=1&resourceVersion=${resourceVersion}`, {})
  let rest: Buffer = Buffer.alloc(0)
  let last = ''
  body.on('data', (chunk: Buffer) => {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = text.lastIndexOf(newline) + 1
    rest = text.subarray(end)
    if (end === 0) return
    const now = nowMicroseconds()
    for (let at = text.indexOf(mark); at >= 0 && at < end; at = text.indexOf(mark, at + mark.length)) {
      delays[seen++] = (now - Number(text.toString('latin1', at + mark.length, at + mark.length + 16))) / 1000
    }
    last = text.toString('latin1', text.lastIndexOf(newline, end - 2) + 1, end)
  })
  body.on('close', () => {
    closed++
    const [, revision = resourceVersion] = /"resourceVersion":"(\d+)"/.exec(last) ?? []
    void resume(revision)
  })
  body.on('error', () => {})
}

/** A server with too much to do may refuse for a while. */
async function resume(revision: string): Promise<void> {
  try {
    await watch(revision)
  } catch {
    await sleep(200)
    await resume(revision)
  }
}
