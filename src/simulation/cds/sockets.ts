import type { ServedRequest, ServedResponse, ServedWebSocket } from '../../ports/index.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { Parts } from './parts.ts'
import { sharedInfra } from './basics.ts'
import type { BuiltinConsumer, Hatchery, JobV1, JobV2 } from './records.ts'
import { jobV1Event, jobV2Event } from './wire.ts'
import type { CdsEvent } from './witness.ts'

interface ClientV1 {
  readonly socket: ServedWebSocket
  readonly consumer: BuiltinConsumer
  /** From the filters that it sent; undefined before: it then hears nothing. */
  hatcheryType: string | undefined
}

interface ClientV2 {
  readonly socket: ServedWebSocket
  readonly hatchery: Hatchery
  readonly osArch: readonly string[]
}

const filterTypes = new Set([
  'global',
  'project',
  'workflow',
  'workflow-run',
  'workflow-node-run',
  'pipeline',
  'application',
  'environment',
  'queue',
  'operation',
  'dry-run-retention-workflow',
  'ascode-event',
])

/** The web sockets by which hatcheries hear of jobs that wait. */
export class Sockets {
  readonly #parts: Parts
  readonly #v1 = new Set<ClientV1>()
  readonly #v2 = new Set<ClientV2>()

  constructor(parts: Parts) {
    this.#parts = parts
    parts.witness.listen(event => this.#heard(event))
  }

  /** Answers an upgrade: with nothing if it is accepted. */
  accept(request: ServedRequest, socket: ServedWebSocket): ServedResponse | undefined {
    try {
      this.#accept(request, socket)
      return undefined
    } catch (error) {
      if (error instanceof CdsRefusal) return error.answer(this.#parts.chance.uuid())
      throw error
    }
  }

  /** Who is connected, for those who look on. */
  connected(): { readonly v1: number; readonly v2: number } {
    return { v1: this.#v1.size, v2: this.#v2.size }
  }

  /** Ends every connection: with a goodbye, without one, or so that nobody notices. */
  endAll(how: 'close' | 'breakOff' | 'fallSilent'): void {
    for (const { socket } of [...this.#v1, ...this.#v2]) socket[how]()
    if (how !== 'fallSilent') return
    this.#v1.clear()
    this.#v2.clear()
  }

  #accept(request: ServedRequest, socket: ServedWebSocket): void {
    const path = request.url.pathname
    if (path !== '/ws' && path !== '/v2/hatchery/ws') throw new CdsRefusal('notFound', `${path} not found`)
    const consumer = this.#parts.accounts.callerOf(request.headers['authorization'])?.consumer
    if (consumer === undefined) throw new CdsRefusal('notAuthenticated')
    if (path === '/ws') {
      if (consumer.kind !== 'builtin') throw new CdsRefusal('forbidden')
      const client: ClientV1 = { socket, consumer, hatcheryType: undefined }
      join(this.#v1, client)
      void this.#readFilters(client)
    } else {
      if (consumer.kind !== 'hatchery') throw new CdsRefusal('forbidden')
      // Only what stands at the top of the configuration counts, as in the real one.
      const { osArch } = consumer.hatchery.config as { readonly osArch?: unknown }
      const given = Array.isArray(osArch) ? osArch.map(String) : []
      join(this.#v2, { socket, hatchery: consumer.hatchery, osArch: given.length === 0 ? ['linux/amd64'] : given })
    }
  }

  async #readFilters(client: ClientV1): Promise<void> {
    try {
      for await (const message of client.socket.messages) {
        const problem = this.#filter(client, message)
        if (problem !== undefined) client.socket.send(JSON.stringify({ status: 'KO', error: problem, event: {} }))
      }
    } catch {
      // The connection broke; whoever was there connects again.
    }
  }

  #filter(client: ClientV1, message: string): string | undefined {
    let filters: unknown
    try {
      filters = JSON.parse(message)
    } catch {
      return 'cannot unmarshal websocket input message'
    }
    const list: readonly unknown[] = Array.isArray(filters) ? filters : [filters]
    let type: string | undefined
    for (const each of list) {
      const filter = (each ?? {}) as { readonly type?: string; readonly hatchery_type?: string }
      if (!filterTypes.has(filter.type ?? '')) return 'invalid or empty given filter type'
      if (filter.type === 'queue') type = filter.hatchery_type ?? ''
    }
    client.hatcheryType = type
    return undefined
  }

  #heard({ what, job: id, detail }: CdsEvent): void {
    if (id === undefined || detail === 'silent' || (what !== 'job queued' && what !== 'job queued again')) return
    const v2 = this.#parts.queueV2.find(id)
    if (v2 !== undefined) return this.#tellV2(v2)
    const v1 = this.#parts.queueV1.find(Number(id))
    if (v1 !== undefined) this.#tellV1(v1)
  }

  #tellV1(job: JobV1): void {
    const text = JSON.stringify(jobV1Event(job, this.#parts.clock.now()))
    for (const client of this.#v1) if (concerns(client, job)) client.socket.send(text)
  }

  #tellV2(job: JobV2): void {
    const text = JSON.stringify(jobV2Event(job))
    for (const { socket, hatchery, osArch } of this.#v2) {
      if (hatchery.region === job.region && hatchery.modelType === job.model.type && osArch.includes(job.model.osarch)) socket.send(text)
    }
  }
}

function concerns({ hatcheryType, consumer }: ClientV1, job: JobV1): boolean {
  const { service, groups } = consumer
  if (hatcheryType === undefined || service === undefined) return false
  if (job.modelType !== '' && job.modelType !== hatcheryType) return false
  const region = job.region ?? ''
  if (region !== (service.region ?? '') && !(region === '' && service.ignoreJobWithNoRegion !== true)) return false
  return groups.some(group => group.name === sharedInfra || job.groups.includes(group))
}

function join<T extends { readonly socket: ServedWebSocket }>(clients: Set<T>, client: T): void {
  clients.add(client)
  client.socket.over.addEventListener('abort', () => clients.delete(client), { once: true })
}
