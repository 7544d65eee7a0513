import { once } from 'node:events'
import { createServer, request as plainRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request as tlsRequest } from 'node:https'
import { LoopbackDoor } from '../loopback-door.ts'

/** Where the proxy leads, and what it says there about itself. */
export interface Upstream {
  readonly url: string
  readonly ca?: string
  readonly token?: string
}

/** What may go wrong with one request. */
export type Fault =
  /** The connection is cut before the server hears of it. */
  | 'cut before'
  /** The server does what was asked, but its answer does not arrive. */
  | 'cut after'
  /** The server hears of it, and the answer never comes, nor an end. */
  | 'hang'
  /** Answered by something in between. */
  | { readonly status: number; readonly retryAfter?: number }

/** A request that may be harmed. */
export interface Passing {
  readonly method: string
  readonly url: string
  readonly watch: boolean
}

interface Stream {
  /** Bytes since the last newline that the client got. */
  inLine: boolean
  readonly response: ServerResponse
}

const expired = `${JSON.stringify({
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version',
    reason: 'Expired',
    code: 410,
  },
})}\n`

/** An HTTP server on the loopback that passes requests on to an API server and harms them as it is told. */
export class FaultProxy {
  readonly requests: Passing[] = []
  /** How often each harm was done to streams. */
  readonly done = { truncated: 0, expired: 0 }
  /** Decides about each request. */
  fault: (request: Passing) => Fault | undefined = () => undefined
  readonly #upstream: Upstream
  readonly #agent: Agent
  readonly #door = new LoopbackDoor(() => createServer((incoming, response) => void this.#pass(incoming, response)))
  readonly #streams = new Set<Stream>()
  #truncate = false

  private constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.#agent = new Agent({ keepAlive: true, ...(upstream.ca === undefined ? {} : { ca: upstream.ca }) })
  }

  static async start(upstream: Upstream): Promise<FaultProxy> {
    const proxy = new FaultProxy(upstream)
    await proxy.comeBack()
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${this.#door.port}`
  }

  get streams(): number {
    return this.#streams.size
  }

  /** Nobody listens any more, and every connection is gone. */
  goAway(): Promise<void> {
    return this.#door.close()
  }

  /** Listens at the same place as before. */
  comeBack(): Promise<void> {
    return this.#door.open()
  }

  /** Cuts every connection there is. */
  cutAll(): void {
    this.#door.cutAll()
  }

  /** The next piece of every watch breaks off in the middle of a line. */
  truncateStreams(): void {
    this.#truncate = true
  }

  /** Every watch is told that its revision is too old, and ended. */
  expireStreams(): void {
    for (const stream of this.#streams) {
      if (stream.inLine) continue
      this.done.expired++
      stream.response.end(expired)
    }
  }

  async stop(): Promise<void> {
    await this.goAway()
    this.#agent.destroy()
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming
    const passing = { method, url, watch: url.includes('watch=true') }
    this.requests.push(passing)
    const fault = this.fault(passing)
    if (fault === 'cut before') return void incoming.socket.resetAndDestroy()
    if (typeof fault === 'object') return this.#refuse(response, fault)
    try {
      await this.#forward(passing, incoming, response, fault)
    } catch {
      incoming.socket.destroy()
    }
  }

  #refuse(response: ServerResponse, { status, retryAfter }: { readonly status: number; readonly retryAfter?: number }): void {
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end('not now')
  }

  async #forward(
    passing: Passing,
    incoming: IncomingMessage,
    response: ServerResponse,
    fault: 'cut after' | 'hang' | undefined,
  ): Promise<void> {
    const { url, token } = this.#upstream
    const target = new URL(passing.url, url)
    const headers = { ...incoming.headers, host: target.host, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
    const outgoing =
      target.protocol === 'https:'
        ? tlsRequest(target, { method: passing.method, headers, agent: this.#agent })
        : plainRequest(target, { method: passing.method, headers })
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    if (fault !== undefined) {
      answer.resume()
      await once(answer, 'end')
      if (fault === 'cut after') incoming.socket.resetAndDestroy()
      return
    }
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    response.flushHeaders()
    if (passing.watch) await this.#passStream(answer, response)
    else for await (const piece of answer) response.write(piece)
    response.end()
  }

  async #passStream(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    const stream: Stream = { inLine: false, response }
    this.#streams.add(stream)
    try {
      for await (const piece of answer as AsyncIterable<Buffer>) {
        if (response.writableEnded) return
        if (this.#truncate && piece.length > 2) {
          this.#truncate = false
          this.done.truncated++
          response.write(piece.subarray(0, piece.length - 2), () => response.socket?.resetAndDestroy())
          return
        }
        stream.inLine = piece.at(-1) !== 10
        response.write(piece)
      }
    } finally {
      this.#streams.delete(stream)
    }
  }
}
