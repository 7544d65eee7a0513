import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { percentile } from '../frame/median.ts'
import { Client } from './client.ts'
import { nestName, nestsPath, nowMicroseconds, patchBody } from './nests.ts'
import type { Server } from './server.ts'
import { cpuMicroseconds } from '../frame/usage.ts'
import type { Seen, WatchersOrder } from './watchers.ts'

/** What many watchers saw of many changes. */
export interface Watching {
  readonly p50: number
  readonly p99: number
  /** How many events came until we gave up waiting, of how many. */
  readonly received: number
  readonly expected: number
  /** Watches that the server ended, and how many of them needed a list to go on. */
  readonly closed: number
  readonly relisted: number
  /** Changes that the server did not make. */
  readonly refused: number
  readonly changesPerSecond: number
  readonly cpuSeconds: number
}

export interface WatchingOptions {
  readonly watchers: number
  readonly perSecond: number
  readonly seconds: number
  readonly objects: number
}

/** So long are late events waited for; what has not come then is counted as being that late. */
const patience = 10_000

/** Changes nests at an even pace, whatever the answers take, while others watch all of them from another thread. */
export async function watching(server: Server, { watchers, perSecond, seconds, objects }: WatchingOptions): Promise<Watching> {
  const total = perSecond * seconds
  const expected = total * watchers
  const { url, ca, token } = server
  const workerData: WatchersOrder = { address: { url, ca, token }, watchers, events: expected }
  const thread = new Worker(new URL('watchers.ts', import.meta.url), { workerData })
  await once(thread, 'message')
  const client = new Client(server, 64)
  const used = cpuMicroseconds(server.pids)
  const began = performance.now()
  // A server with too much to do refuses some: their events then never come, and count as late.
  const writes: Promise<boolean>[] = []
  while (writes.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * perSecond))
    while (writes.length < due) writes.push(change(client, writes.length, objects))
    await sleep(1)
  }
  const refused = (await Promise.all(writes)).filter(done => !done).length
  const changesPerSecond = (total * 1000) / (performance.now() - began)
  let seen = await seenBy(thread)
  for (const patient = performance.now() + patience; seen.delays.length < expected && performance.now() < patient;) {
    await sleep(100)
    seen = await seenBy(thread)
  }
  const cpuSeconds = (cpuMicroseconds(server.pids) - used) / 1e6
  await thread.terminate()
  await client.close()
  const received = seen.delays.length
  const all = [...seen.delays, ...Array.from({ length: Math.max(0, expected - received) }, () => patience)]
  return {
    p50: percentile(all, 0.5),
    p99: percentile(all, 0.99),
    received,
    expected,
    closed: seen.closed,
    relisted: seen.relisted,
    refused,
    changesPerSecond,
    cpuSeconds,
  }
}

async function change(client: Client, number: number, objects: number): Promise<boolean> {
  const body = patchBody(number % 12, nowMicroseconds())
  const path = `${nestsPath}/${nestName(number % objects)}`
  const sent = client.send(path, { method: 'PATCH', type: 'application/merge-patch+json', body })
  return await sent.then(
    () => true,
    () => false,
  )
}

async function seenBy(thread: Worker): Promise<Seen> {
  thread.postMessage('seen?', [])
  const [seen] = (await once(thread, 'message')) as [Seen]
  return seen
}
