import { createHash } from 'node:crypto'
import { type IncomingMessage, createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import type { Duplex } from 'node:stream'

/** The server's end of a web socket, bare enough to misbehave. */
export interface TestSocket {
  readonly request: IncomingMessage
  readonly received: string[]
  /** Opcodes of the frames that came: 1 text, 8 close, 9 ping. */
  readonly opcodes: number[]
  send(text: string): void
  sendFrame(opcode: number, payload: Buffer): void
  /** Stops answering pings and goodbyes. */
  mute(): void
  destroy(): void
  readonly gone: Promise<void>
}

/** What a test server does with those who come. */
export interface TestWebSocketOptions {
  readonly tls?: TlsOptions
  /** A status to refuse with; undefined accepts. */
  readonly refuse?: (request: IncomingMessage) => number | undefined
  readonly onSocket?: (socket: TestSocket) => void
}

/** A web socket server on a free port of 127.0.0.1. Disposing of it ends it and its connections. */
export async function webSocketServer(options: TestWebSocketOptions): Promise<AsyncDisposable & { readonly port: number }> {
  const server: Server = options.tls === undefined ? createServer() : createSecureServer(options.tls)
  const sockets = new Set<Duplex>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket))))
  server.on('tlsClientError', () => {})
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const status = options.refuse?.(request)
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`)
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    socket.write(`HTTP/1.1 101 OK\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`)
    options.onSocket?.(speak(request, socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function speak(request: IncomingMessage, socket: Duplex): TestSocket {
  let unread = Buffer.alloc(0)
  let muted = false
  const gone = Promise.withResolvers<void>()
  const received: string[] = []
  const opcodes: number[] = []
  const sendFrame = (opcode: number, payload: Buffer) => {
    if (!socket.destroyed) socket.write(Buffer.concat([header(opcode, payload.length), payload]))
  }
  socket
    .on('error', () => {})
    .on('end', () => socket.end())
    .on('close', () => gone.resolve())
  socket.on('data', (data: Buffer) => {
    unread = Buffer.concat([unread, data])
    for (let frame = firstFrame(unread); frame !== undefined; frame = firstFrame(unread)) {
      unread = unread.subarray(frame.length)
      opcodes.push(frame.opcode)
      if (frame.opcode === 1) received.push(frame.payload.toString())
      if (muted) continue
      if (frame.opcode === 9) sendFrame(10, frame.payload)
      if (frame.opcode === 8) {
        sendFrame(8, frame.payload)
        socket.end()
      }
    }
  })
  return {
    request,
    received,
    opcodes,
    send: text => sendFrame(1, Buffer.from(text)),
    sendFrame,
    mute: () => (muted = true),
    destroy: () => socket.destroy(),
    gone: gone.promise,
  }
}

function header(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([0x80 | opcode, length])
  const long = Buffer.alloc(10)
  long[0] = 0x80 | opcode
  long[1] = 127
  long.writeBigUInt64BE(BigInt(length), 2)
  return long
}

/** The first frame of a client, which are always masked. */
function firstFrame(data: Buffer): { readonly opcode: number; readonly payload: Buffer; readonly length: number } | undefined {
  if (data.length < 6) return undefined
  const short = (data[1] as number) & 0x7f
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0
  if (data.length < 6 + extra) return undefined
  const size = short === 126 ? data.readUInt16BE(2) : short === 127 ? Number(data.readBigUInt64BE(2)) : short
  const start = 6 + extra
  if (data.length < start + size) return undefined
  const mask = data.subarray(2 + extra, start)
  const payload = Buffer.from(data.subarray(start, start + size).map((byte, index) => byte ^ (mask[index % 4] as number)))
  return { opcode: (data[0] as number) & 0x0f, payload, length: start + size }
}
