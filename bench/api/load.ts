import { Client } from './client.ts'
import { namespace, nestBody, nestName, nestsPath, nowMicroseconds, patchBody } from './nests.ts'
import type { Server } from './server.ts'
import { cpuMicroseconds } from '../frame/usage.ts'

/** What a round came to. */
export interface Load {
  readonly perSecond: number
  /** Of the server, for each request. */
  readonly cpuMicroseconds: number
}

/** A server with the clients at it. */
export class Loaded {
  readonly server: Server
  #made = 0

  constructor(server: Server) {
    this.server = server
  }

  /** How many nests there are. */
  get made(): number {
    return this.#made
  }

  /** Makes the namespace that all nests are in. */
  async prepare(): Promise<void> {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    await this.#run(1, 1, client => client.send('/api/v1/namespaces', { method: 'POST', body }))
  }

  /** Makes so many further nests. */
  async create(count: number, clients: number): Promise<Load> {
    const first = this.#made
    this.#made += count
    return await this.#run(count, clients, (client, n) => client.send(nestsPath, { method: 'POST', body: nestBody(first + n) }))
  }

  /** Changes so many nests, each once as long as there are enough. */
  async patch(count: number, clients: number): Promise<Load> {
    const type = 'application/merge-patch+json'
    return await this.#run(count, clients, (client, n) =>
      client.send(`${nestsPath}/${nestName(n % this.#made)}`, { method: 'PATCH', type, body: patchBody(n % 12, nowMicroseconds()) }),
    )
  }

  /** Lists so many times what a selector selects, one after another, and receives every byte. Rejects if there are not `expected`. */
  async list(count: number, labelSelector: string, expected: number): Promise<Load> {
    let last: Uint8Array = new Uint8Array()
    const path = `${nestsPath}?labelSelector=${encodeURIComponent(labelSelector)}`
    const load = await this.#run(count, 1, async client => void (last = await client.read(path)))
    const { items } = JSON.parse(Buffer.from(last).toString()) as { readonly items: readonly unknown[] }
    if (items.length !== expected) throw new Error(`${this.server.name} listed ${items.length} nests instead of ${expected}`)
    return load
  }

  async #run(count: number, clients: number, request: (client: Client, number: number) => Promise<void>): Promise<Load> {
    const client = new Client(this.server, clients)
    let next = 0
    const worker = async () => {
      while (next < count) await request(client, next++)
    }
    // Shaking hands is not what is measured: clients stay connected.
    await Promise.all(Array.from({ length: clients }, () => client.send('/version', {})))
    const used = cpuMicroseconds(this.server.pids)
    const began = performance.now()
    await Promise.all(Array.from({ length: clients }, worker))
    const perSecond = (count * 1000) / (performance.now() - began)
    const cpu = (cpuMicroseconds(this.server.pids) - used) / count
    await client.close()
    return { perSecond, cpuMicroseconds: cpu }
  }
}
