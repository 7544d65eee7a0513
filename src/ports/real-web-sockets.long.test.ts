import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Clock, realClock } from './clock.ts'
import { DeadlineExceeded, RequestNotValid, Unreachable } from './errors.ts'
import { realWebSockets } from './real-web-sockets.ts'
import { Secret } from './secret.ts'
import { testAuthority } from './testing/certificates.ts'
import { rawServer } from './testing/server.ts'
import { type TestSocket, type TestWebSocketOptions, webSocketServer } from './testing/web-socket-server.ts'
import type { WebSocketConnection, WebSocketRequest } from './web-socket.ts'

const clock = realClock()

function request(port: number, more: Partial<WebSocketRequest> = {}): WebSocketRequest {
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  return { url: `ws://127.0.0.1:${port}/ws?token=hidden`, signal: controller.signal, timeout: 15_000, ...more }
}

/** A server, a connection to it, and the server's end of that. */
async function connected(
  options: TestWebSocketOptions = {},
  more: Partial<WebSocketRequest> = {},
  how: Partial<Parameters<typeof realWebSockets>[0]> = {},
) {
  const came = Promise.withResolvers<TestSocket>()
  const server = await webSocketServer({
    ...options,
    onSocket: socket => {
      options.onSocket?.(socket)
      came.resolve(socket)
    },
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const sockets = realWebSockets({ clock, ...how })
  const connection = await sockets.connect(request(server.port, more))
  return { connection, server: await came.promise }
}

async function all(connection: WebSocketConnection): Promise<string[]> {
  const result: string[] = []
  for await (const message of connection.messages) result.push(message)
  return result
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  )
}

describe('a web socket', () => {
  test('carries headers there, secrets revealed, and messages both ways', async () => {
    const { connection, server } = await connected({}, { headers: { Authorization: new Secret('Bearer abc'), Date: '5 Nov 2026' } })
    connection.send('hoo 🦉')
    server.send('who')
    for await (const message of connection.messages) {
      expect(message).toBe('who')
      break
    }
    await server.gone
    expect(server.received).toEqual(['hoo 🦉'])
    expect(server.request.headers).toMatchObject({ authorization: 'Bearer abc', date: '5 Nov 2026' })
  })

  test('misses nothing that is said at once', async () => {
    const { connection } = await connected({
      onSocket: socket => {
        socket.send('one')
        socket.send('two')
        socket.sendFrame(8, Buffer.from([0x03, 0xe8]))
      },
    })
    expect(await all(connection)).toEqual(['one', 'two'])
  })

  test('ends for the reader when it is closed here, and says goodbye', async () => {
    const { connection, server } = await connected()
    connection.close()
    expect(await all(connection)).toEqual([])
    await server.gone
    expect(server.opcodes).toContain(8)
  })

  test('that breaks throws after what had come', async () => {
    const { connection, server } = await connected()
    server.send('one')
    const iterator = connection.messages[Symbol.asyncIterator]()
    expect(await iterator.next()).toEqual({ done: false, value: 'one' })
    server.destroy()
    expect(await failureOf(iterator.next())).toMatchObject({ code: Unreachable.code, details: { sent: true } })
  })

  test('lives as long as pings are answered, and breaks when they are not', async () => {
    // Longer than a busy machine lets this program stand still, and four pings take longer than that.
    const { connection, server } = await connected({}, { idleTimeout: 1_500 })
    const pings = () => server.opcodes.filter(opcode => opcode === 9).length
    while (pings() < 4) await clock.sleep(20)
    server.send('still here')
    const iterator = connection.messages[Symbol.asyncIterator]()
    expect(await iterator.next()).toEqual({ done: false, value: 'still here' })
    server.mute()
    expect(await failureOf(iterator.next())).toMatchObject({ code: Unreachable.code, message: expect.stringContaining('nothing came for') })
    await server.gone
  })

  test('is dropped when its caller aborts, even if the other side does not say goodbye', async () => {
    const controller = new AbortController()
    const patience: number[] = []
    const impatient: Clock = {
      ...clock,
      after(milliseconds, act) {
        patience.push(milliseconds)
        return clock.after(10, act)
      },
    }
    const { connection, server } = await connected({}, { signal: controller.signal }, { clock: impatient })
    server.mute()
    controller.abort('enough')
    expect(await failureOf(all(connection))).toBe('enough')
    await server.gone
    expect(patience).toContain(2_000)
  })

  test('breaks when a message is too large', async () => {
    const { connection, server } = await connected({}, {}, { maxBytes: 1000 })
    server.send('x'.repeat(1001))
    expect(await failureOf(all(connection))).toMatchObject({ code: Unreachable.code })
  })
})

describe('connecting', () => {
  test.each([401, 403, 503])('a refusal names its status: %i', async status => {
    await using server = await webSocketServer({ refuse: () => status })
    const error = await failureOf(realWebSockets({ clock }).connect(request(server.port)))
    expect(error).toMatchObject({
      code: Unreachable.code,
      message: expect.stringContaining(`status ${status}`),
      details: { status, sent: true },
    })
  })

  test('a port where nobody listens is named with its reason, and nothing was sent', async () => {
    const server = await webSocketServer({})
    await server[Symbol.asyncDispose]()
    const error = await failureOf(realWebSockets({ clock }).connect(request(server.port)))
    expect(error).toMatchObject({ code: Unreachable.code, message: expect.stringContaining('ECONNREFUSED'), details: { sent: false } })
  })

  test('a server that says nothing meets the deadline, and a caller who gives up is obeyed', async () => {
    await using server = await rawServer(() => {})
    const sockets = realWebSockets({ clock })
    expect(await failureOf(sockets.connect(request(server.port, { timeout: 100 })))).toMatchObject({ code: DeadlineExceeded.code })
    expect(await failureOf(sockets.connect(request(server.port, { signal: AbortSignal.abort('no') })))).toBe('no')
  })

  test('what is no web socket server is refused', async () => {
    await using server = await rawServer(socket =>
      socket.on('data', () =>
        socket.write('HTTP/1.1 101 Sure\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: no\r\n\r\n'),
      ),
    )
    expect(await failureOf(realWebSockets({ clock }).connect(request(server.port)))).toMatchObject({
      code: Unreachable.code,
      message: expect.stringContaining('does not speak'),
    })
  })

  test('a server proves itself as trust demands', async () => {
    const authority = await testAuthority('owls')
    const { certificate, key, thumbprint } = await authority.issue()
    await using server = await webSocketServer({ tls: { cert: certificate, key }, onSocket: socket => socket.send('hoo') })
    const url = `wss://127.0.0.1:${server.port}/ws`
    for (const trust of [{ ca: authority.certificate }, { thumbprint }, { insecure: true as const }]) {
      const connection = await realWebSockets({ clock, trust }).connect(request(server.port, { url }))
      for await (const message of connection.messages) {
        expect(message).toBe('hoo')
        break
      }
    }
    const error = await failureOf(realWebSockets({ clock }).connect(request(server.port, { url })))
    expect(error).toMatchObject({ code: Unreachable.code, message: expect.stringContaining('not trusted'), fix: expect.any(String) })
  })

  test.each([
    ['a URL that cannot be read', { url: 'hidden' }],
    ['another scheme', { url: 'https://example/' }],
    ['credentials in the URL', { url: 'wss://user:hidden@example/' }],
    ['a line break in a header', { headers: { 'x-a': new Secret('hidden\r\nx-b: c') } }],
  ])('%s is refused before anything is sent', async (_case, more) => {
    const error = await failureOf(realWebSockets({ clock }).connect(request(9, more)))
    expect(error).toMatchObject({ code: RequestNotValid.code, fix: expect.any(String) })
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('hidden')
  })

  test('errors never name the query or a header', async () => {
    await using server = await webSocketServer({ refuse: () => 401 })
    const error = await failureOf(realWebSockets({ clock }).connect(request(server.port, { headers: { authorization: 'hidden' } })))
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('hidden')
  })
})
