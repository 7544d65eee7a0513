/**
 * A thread that watches all nests many times over, each on a connection of its own, and notes how long after its patch each event
 * was there. Says `ready` when all watch; answers any message with what it has seen so far.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Address, Client, Refused } from './client.ts'
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
  /** Watches that the server ended. They went on from where they were, or with a list if it had said ERROR, as those of client-go do. */
  readonly closed: number
  /** How often that took a list. */
  readonly relisted: number
}

const { address, watchers, events } = workerData as WatchersOrder
const delays = new Float64Array(events)
let seen = 0
let closed = 0
let relisted = 0
const mark = '"at":"'
const revisionMark = '"resourceVersion":"'
const newline = 10

const client = new Client(address, watchers + 1)
const page = Buffer.from(await client.read(`${nestsPath}?limit=1`)).toString()
const [, start = ''] = /^\{.*?"metadata":\{.*?"resourceVersion":"(\d+)"/.exec(page) ?? []
await Promise.all(Array.from({ length: watchers }, () => watch(start)))
parentPort?.on('message', () => parentPort?.postMessage({ delays: delays.slice(0, seen), closed, relisted } satisfies Seen, []))
parentPort?.postMessage('ready', [])

/** Watches from a revision on, for as long as the thread lives. Resolves when the watch has begun. */
async function watch(from: string): Promise<void> {
  const { body } = await client.open(`${nestsPath}?watch=1&resourceVersion=${from}`, {})
  let rest: Buffer = Buffer.alloc(0)
  let revision = from
  let failed = false
  body.on('data', (chunk: Buffer) => {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = text.lastIndexOf(newline) + 1
    rest = text.subarray(end)
    if (end === 0) return
    const now = nowMicroseconds()
    for (let at = text.indexOf(mark); at >= 0 && at < end; at = text.indexOf(mark, at + mark.length)) {
      note(now - Number(text.toString('latin1', at + mark.length, at + mark.length + 16)))
    }
    const last = text.lastIndexOf(revisionMark, end)
    if (last >= 0)
      revision = String(Number.parseInt(text.toString('latin1', last + revisionMark.length, last + revisionMark.length + 20), 10))
    failed ||= text.indexOf('{"type":"ERROR"') >= 0
  })
  body.on('close', () => {
    closed++
    void (failed ? relist(revision) : resume(revision))
  })
  body.on('error', () => {})
}

/** Goes on from where a watch ended. A server with too much to do may refuse for a while; one that refuses for another reason is listed. */
async function resume(revision: string): Promise<void> {
  try {
    await watch(revision)
  } catch (error) {
    await sleep(200)
    const isBusy = !(error instanceof Refused) || error.status === 429
    await (isBusy ? resume(revision) : relist(revision))
  }
}

/** What a watch can no longer tell is learnt from a list: all that changed after the revision is seen now. Then it watches again. */
async function relist(revision: string): Promise<void> {
  relisted++
  try {
    const { metadata, items } = JSON.parse(Buffer.from(await client.read(nestsPath)).toString()) as NestList
    const now = nowMicroseconds()
    for (const { metadata: nest } of items) {
      if (Number(nest.resourceVersion) > Number(revision) && nest.annotations.at !== undefined) note(now - Number(nest.annotations.at))
    }
    await resume(metadata.resourceVersion)
  } catch {
    await sleep(200)
    await relist(revision)
  }
}

function note(microseconds: number): void {
  delays[seen++] = microseconds / 1000
}

interface NestList {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: readonly { readonly metadata: { readonly resourceVersion: string; readonly annotations: { readonly at?: string } } }[]
}
