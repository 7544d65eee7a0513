import { describe, expect, test } from 'vitest'
import { DeadlineExceeded, Unreachable } from './errors.ts'
import { Secret } from './secret.ts'
import { type ServedWebSocket, type WebSocketHandler, simulatedWebSockets } from './simulated-web-sockets.ts'
import { VirtualClock } from './virtual-clock.ts'
import type { WebSocketConnection } from './web-socket.ts'

const clock = new VirtualClock()
const url = 'wss://cds.example/ws?x=1'
const { signal } = new AbortController()

async function connected(handler: WebSocketHandler = () => undefined) {
  let server: ServedWebSocket | undefined
  const sockets = simulatedWebSockets(
    (request, socket) => {
      server = socket
      return handler(request, socket)
    },
    { clock },
  )
  const connection = await sockets.connect({ url, signal, idleTimeout: 5000 })
  return { connection, server: server as ServedWebSocket }
}

async function all(end: Pick<WebSocketConnection, 'messages'>): Promise<string[]> {
  const result: string[] = []
  for await (const message of end.messages) result.push(message)
  return result
}

/** What work came to after time has passed. */
async function outcome(work: Promise<unknown>, milliseconds = 60_000): Promise<unknown> {
  const settled = work.catch((error: unknown) => ({ error }))
  await clock.advance(milliseconds)
  return await settled
}

describe('a simulated web socket', () => {
  test('shows the server the upgrade as a request, secrets revealed', async () => {
    const seen: unknown[] = []
    const handler: WebSocketHandler = ({ method, url: asked, headers }) => {
      seen.push(method, asked.pathname, headers['authorization'])
      return undefined
    }
    await simulatedWebSockets(handler, { clock }).connect({ url, headers: { Authorization: new Secret('Bearer abc') }, signal })
    expect(seen).toEqual(['GET', '/ws', 'Bearer abc'])
  })

  test('carries messages both ways until one side closes', async () => {
    const { connection, server } = await connected((_request, socket) => {
      socket.send('at once')
      return undefined
    })
    connection.send('hoo')
    server.send('who')
    server.close()
    server.send('too late')
    expect(await all(connection)).toEqual(['at once', 'who'])
    expect(await all(server)).toEqual(['hoo'])
    expect(server.over.aborted).toBe(true)
  })

  test('is over for the server too when the reader leaves', async () => {
    const { connection, server } = await connected((_request, socket) => {
      socket.send('one')
      return undefined
    })
    for await (const message of connection.messages) {
      expect(message).toBe('one')
      break
    }
    expect(server.over.aborted).toBe(true)
  })

  test('can be refused with a status', async () => {
    const refused = simulatedWebSockets(() => ({ status: 401 }), { clock }).connect({ url, signal })
    await expect(refused).rejects.toMatchObject({ code: Unreachable.code, details: { status: 401, sent: true } })
  })

  test('can break off without goodbye', async () => {
    const { connection, server } = await connected()
    server.breakOff()
    await expect(all(connection)).rejects.toMatchObject({ code: Unreachable.code })
  })

  test('that falls silent is given up after the time that silence may last', async () => {
    const { connection, server } = await connected()
    server.fallSilent()
    server.send('unheard')
    let broken: unknown
    all(connection).catch((error: unknown) => (broken = error))
    await clock.advance(4999)
    expect(broken).toBeUndefined()
    await clock.advance(1)
    expect(broken).toMatchObject({ code: Unreachable.code })
  })

  test('that never stands meets the deadline', async () => {
    const hanging = simulatedWebSockets(() => new Promise(() => {}), { clock }).connect({ url, signal, timeout: 1000 })
    expect(await outcome(hanging, 1000)).toMatchObject({ error: { code: DeadlineExceeded.code } })
  })

  test('follows its caller’s signal, and leaves no timer behind', async () => {
    const controller = new AbortController()
    let server: ServedWebSocket | undefined
    const sockets = simulatedWebSockets(
      (_request, socket) => {
        server = socket
        return undefined
      },
      { clock },
    )
    const connection = await sockets.connect({ url, signal: controller.signal })
    server?.fallSilent()
    controller.abort('enough')
    await expect(all(connection)).rejects.toBe('enough')
    expect(server?.over.aborted).toBe(true)
    expect(await clock.runUntilIdle(0)).toBe(true)
  })
})
