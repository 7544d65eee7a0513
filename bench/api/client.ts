import { Pool } from 'undici'
import type { Server } from './server.ts'

/** How to reach a server. It can be handed to another thread. */
export type Address = Pick<Server, 'url' | 'ca' | 'token'>

/** What a request has besides its path. */
export interface Sending {
  readonly method?: 'GET' | 'POST' | 'PATCH'
  readonly body?: string
  readonly type?: string
}

/** What the server said instead of doing it. */
export class Refused extends Error {
  readonly status: number

  constructor(request: string, status: number, text: string) {
    super(`${request}: ${status} ${text}`)
    this.status = status
  }
}

/** The client that both servers are seen through: HTTP/1.1 on kept TLS connections, a bearer token, no compression. */
export class Client {
  readonly #pool: Pool
  readonly #headers: Readonly<Record<string, string>>

  constructor({ url, ca, token }: Address, connections: number) {
    this.#pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect: { ca } })
    this.#headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  }

  /** Sends a request whose answer nobody reads. Rejects unless it succeeded. */
  async send(path: string, sending: Sending): Promise<void> {
    const { body } = await this.open(path, sending)
    await body.dump({ limit: Infinity })
  }

  /** The bytes of an answer. */
  async read(path: string): Promise<Uint8Array> {
    return await (await this.open(path, {})).body.bytes()
  }

  /** Begins to receive an answer. */
  async open(path: string, { method = 'GET', body, type = 'application/json' }: Sending) {
    const headers = body === undefined ? this.#headers : { ...this.#headers, 'content-type': type }
    const answer = await this.#pool.request({ method, path, headers, body: body ?? null })
    if (answer.statusCode >= 300) throw new Refused(`${method} ${path}`, answer.statusCode, await answer.body.text())
    return answer
  }

  /** Ends all connections, whatever they are doing. */
  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}
