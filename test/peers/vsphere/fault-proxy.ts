import { once } from 'node:events'
import { Agent, createServer, request, type Server } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { testAuthority, type TestCertificate } from '../../../src/ports/testing/certificates.ts'

/** What may go wrong with one call. */
export type Fault =
  /** The connection is cut before vCenter hears of it. */
  | 'cut before'
  /** vCenter does what was asked, but its answer does not arrive. */
  | 'cut after'
  /** The answer never comes. */
  | 'hang'
  /** Something else answers, and vCenter hears nothing. */
  | { readonly status: number; readonly body?: string }

/** A call with what came of it. */
export interface AnsweredCall {
  readonly method: string
  /** The request's whole text. */
  readonly request: string
  readonly status: number
  /** Bytes of the answer's body. */
  readonly received: number
}

/** A server on the loopback that passes SOAP calls on to vCenter and harms them as it is told. */
export class FaultProxy {
  readonly calls: string[] = []
  /** Decides about each call by its method. */
  fault: (method: string) => Fault | undefined = () => undefined
  /** Told of each call before it is passed on. */
  onCall: (method: string) => Promise<void> | void = () => {}
  /** Told of each call that vCenter answered, whether or not the answer is let through. */
  onAnswer: (call: AnsweredCall) => void = () => {}
  readonly #target: URL
  readonly #identity: TestCertificate
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  readonly #sockets = new Set<Duplex>()
  #server: Server | undefined
  #port = 0

  private constructor(target: URL, identity: TestCertificate) {
    this.#target = target
    this.#identity = identity
  }

  /** Listens in front of the vCenter at `url`. */
  static async start(url: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(new URL(url), await (await testAuthority('proxy')).issue())
    await proxy.comeBack()
    return proxy
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}/sdk`
  }

  /** The next call of the method is harmed, once. */
  harmNext(method: string, fault: Fault): void {
    const before = this.fault
    this.fault = seen => {
      if (seen !== method) return before(seen)
      this.fault = before
      return fault
    }
  }

  /** Cuts every connection there is. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Nobody listens any more, and every connection is gone. */
  async goAway(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = once(server, 'close')
    server.close()
    this.cutAll()
    await closed
  }

  /** Listens at the same place as before. */
  async comeBack(): Promise<void> {
    const { certificate, key } = this.#identity
    const server = createServer({ cert: certificate, key }, (incoming, response) => void this.#pass(incoming, response))
    server.on('connection', socket => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('error', () => {})
    })
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  async stop(): Promise<void> {
    await this.goAway()
    this.#agent.destroy()
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const pieces: Buffer[] = []
      for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece)
      const body = Buffer.concat(pieces)
      const method = /<(?:\w+:)?Body><(\w+)/.exec(body.toString())?.[1] ?? 'unknown'
      this.calls.push(method)
      const fault = this.fault(method)
      if (fault === 'cut before') return void incoming.socket.destroy()
      if (typeof fault === 'object') return void response.writeHead(fault.status).end(fault.body ?? 'not now')
      await this.onCall(method)
      const answer = await this.#forward(incoming, response, body)
      this.onAnswer({ method, request: body.toString(), status: answer.status, received: answer.body.byteLength })
      if (fault === 'cut after') return void incoming.socket.destroy()
      if (fault === 'hang') return
      response.writeHead(answer.status, answer.headers).end(answer.body)
    } catch {
      incoming.socket.destroy()
    }
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse, body: Buffer) {
    const headers = { ...incoming.headers, host: this.#target.host }
    const outgoing = request(new URL(incoming.url ?? '/', this.#target), { method: incoming.method, headers, agent: this.#agent })
    response.on('close', () => {
      if (!response.writableEnded) outgoing.destroy()
    })
    outgoing.end(body)
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    const pieces: Buffer[] = []
    for await (const piece of answer as AsyncIterable<Buffer>) pieces.push(piece)
    return { status: answer.statusCode ?? 500, headers: answer.headers, body: Buffer.concat(pieces) }
  }
}
