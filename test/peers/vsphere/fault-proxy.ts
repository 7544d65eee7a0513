import { once } from 'node:events'
import { Agent, createServer, request } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { testAuthority, type TestCertificate } from '../../../src/ports/testing/certificates.ts'
import { LoopbackDoor } from '../loopback-door.ts'

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
  /** Told of each call that vCenter answered, whether or not the answer is let through; it is held back until then. */
  onAnswer: (call: AnsweredCall) => Promise<void> | void = () => {}
  readonly #target: URL
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  readonly #door: LoopbackDoor

  private constructor(target: URL, { certificate: cert, key }: TestCertificate) {
    this.#target = target
    this.#door = new LoopbackDoor(() => createServer({ cert, key }, (incoming, response) => void this.#pass(incoming, response)))
  }

  /** Listens in front of the vCenter at `url`. */
  static async start(url: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(new URL(url), await (await testAuthority('proxy')).issue())
    await proxy.comeBack()
    return proxy
  }

  get url(): string {
    return `https://127.0.0.1:${this.#door.port}/sdk`
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
    this.#door.cutAll()
  }

  /** Nobody listens any more, and every connection is gone. */
  goAway(): Promise<void> {
    return this.#door.close()
  }

  /** Listens at the same place as before. */
  comeBack(): Promise<void> {
    return this.#door.open()
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
      await this.onAnswer({ method, request: body.toString(), status: answer.status, received: answer.body.byteLength })
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
