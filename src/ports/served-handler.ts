import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { Unreachable } from './errors.ts'
import { MessageQueue } from './async-queue.ts'
import type { HttpHandler, ServedRequest, ServedResponse } from './simulated-http.ts'
import type { ServedWebSocket, WebSocketHandler } from './simulated-web-sockets.ts'

/** What to put on a port, and where. */
export interface ServedHandlerOptions {
  readonly handler: HttpHandler
  /** Without one, upgrades are refused with 404. */
  readonly webSockets?: WebSocketHandler
  /** Default 127.0.0.1. */
  readonly address?: string
  /** Default 0: any free one. */
  readonly port?: number
  /** The largest body that is taken, in bytes; a larger one is refused with 413. Default 1 MiB: whoever reaches the port may send. */
  readonly maxBody?: number
}

/** Handlers on a real port. */
export interface ServedHandler extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string
  readonly port: number
  /** Ends the server and its connections. */
  close(): Promise<void>
}

/**
 * Puts a handler on a real port, so that other programs can speak to what otherwise answers inside this process. What the handler
 * does to behave like a server that is broken is done for real: `Unreachable` cuts the connection, and no answer is no answer.
 */
export async function serveHandler(options: ServedHandlerOptions): Promise<ServedHandler> {
  const { handler, webSockets, address = '127.0.0.1', port = 0, maxBody = 1024 * 1024 } = options
  const sockets = new Set<Socket>()
  // Not by `import`, which would load all that node:http can offer, web sockets of its own included; and nothing of it for those who
  // only speak to servers.
  const { createServer } = process.getBuiltinModule('node:http')
  const { WebSocketServer } = await import('ws')
  const upgrader = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const server = createServer((request, response) => void answer(handler, request, response, maxBody))
  server.on('connection', socket => sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket))))
  server.on('upgrade', (request, socket, head) => {
    const accept = (served: ServedWebSocketOverWire) => upgrader.handleUpgrade(request, socket, head, client => served.opened(client))
    void upgrade(webSockets, request, socket, accept)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => resolve())
  })
  const bound = (server.address() as AddressInfo).port
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { url: `http://${address}:${bound}`, port: bound, close, [Symbol.asyncDispose]: close }
}

async function answer(handler: HttpHandler, request: IncomingMessage, response: ServerResponse, maxBody: number): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  try {
    const sent = await bodyOf(request, maxBody)
    if (sent === undefined) return void response.writeHead(413, { connection: 'close' }).end()
    const { status, headers = {}, body } = await handler(servedRequest(request, sent, gone.signal))
    response.writeHead(status, headers)
    if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return void response.end(body)
    for await (const piece of body) response.write(piece)
    response.end()
  } catch (error) {
    if (Unreachable.is(error) || response.headersSent) return void response.destroy()
    response.writeHead(500).end()
  }
}

async function upgrade(
  handler: WebSocketHandler | undefined,
  request: IncomingMessage,
  socket: Duplex,
  accept: (served: ServedWebSocketOverWire) => void,
): Promise<void> {
  const served = new ServedWebSocketOverWire(request.url ?? '/')
  const early = () => served.lost()
  socket.on('error', () => {}).on('close', early)
  try {
    const refusal = handler === undefined ? { status: 404 } : await handler(servedRequest(request, Buffer.alloc(0), served.over), served)
    // From now on the protocol itself says how the connection ends.
    socket.off('close', early)
    if (socket.destroyed) served.lost()
    else if (refusal === undefined) accept(served)
    else refuse(socket, refusal)
  } catch {
    socket.destroy()
  }
}

function refuse(socket: Duplex, { status, headers = {}, body }: ServedResponse): void {
  const text = typeof body === 'string' ? body : ''
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(text)), connection: 'close' })
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`)
}

/** Undefined if it is too large; what is left of it is not read, and an answer can still be sent. */
async function bodyOf(request: IncomingMessage, maxBody: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    bytes += (piece as Buffer).length
    if (bytes > maxBody) return undefined
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces)
}

function servedRequest(request: IncomingMessage, body: Buffer, signal: AbortSignal): ServedRequest {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const method = (request.method ?? 'GET') as ServedRequest['method']
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`)
  return { method, url, headers, body, text: () => body.toString(), signal }
}

/** The code of a web socket that ended without a word. */
const withoutGoodbye = 1006

/** The server's end of a web socket that goes over a wire. */
class ServedWebSocketOverWire implements ServedWebSocket {
  readonly messages: MessageQueue
  readonly #target: string
  readonly #over = new AbortController()
  /** What was said before the other side could hear it. */
  #early: string[] = []
  #client: WebSocket | undefined
  #silent = false

  constructor(target: string) {
    this.#target = target
    this.messages = new MessageQueue(target, () => this.close())
  }

  get over(): AbortSignal {
    return this.#over.signal
  }

  opened(client: WebSocket): void {
    this.#client = client
    client.on('error', () => {})
    client.on('message', (data: Buffer) => {
      if (!this.#silent) this.messages.push(data.toString())
    })
    client.on('close', code => (code === withoutGoodbye ? this.lost() : this.#ended()))
    for (const text of this.#early) client.send(text)
    this.#early = []
  }

  send(text: string): void {
    if (this.#silent || this.over.aborted) return
    if (this.#client === undefined) this.#early.push(text)
    else this.#client.send(text, () => {})
  }

  close(): void {
    this.#client?.close(1000)
    this.#ended()
  }

  breakOff(): void {
    this.#client?.terminate()
    this.lost()
  }

  fallSilent(): void {
    this.#silent = true
    // A paused socket answers no pings either.
    this.#client?.pause()
  }

  /** The connection is gone, without a goodbye unless there was one before. */
  lost(): void {
    if (!this.over.aborted) this.messages.fail(Unreachable({ target: this.#target, why: 'the connection broke', sent: true }))
    this.#ended()
  }

  #ended(): void {
    this.messages.finish()
    this.#over.abort()
  }
}
