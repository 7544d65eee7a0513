import { expect, test } from 'vitest'
import { Unreachable } from './errors.ts'
import { httpClient } from './http-transport.ts'
import { realClock } from './clock.ts'
import { realWebSockets } from './real-web-sockets.ts'
import { Secret } from './secret.ts'
import { serveHandler } from './served-handler.ts'
import type { ServedWebSocket } from './simulated-web-sockets.ts'

const clock = realClock()
const { signal } = new AbortController()

test('a handler on a port sees what was sent, and its answer arrives, whole or piece by piece', async () => {
  await using served = await serveHandler({
    handler: ({ method, url, headers, text }) => ({
      status: 201,
      headers: { 'X-Nest': 'twig' },
      body:
        url.pathname === '/whole'
          ? `${method} ${url.search} ${headers['authorization']} ${text()}`
          : (async function* () {
              yield 'one '
              yield Buffer.from('two')
            })(),
    }),
  })
  const http = httpClient({ clock })
  const headers = { authorization: new Secret('Bearer abc') }
  const whole = await http.send({ method: 'POST', url: `${served.url}/whole?eggs=3`, headers, body: 'hoo' })
  expect([whole.status, whole.headers['x-nest'], whole.text()]).toEqual([201, 'twig', 'POST ?eggs=3 Bearer abc hoo'])
  expect((await http.send({ method: 'GET', url: `${served.url}/pieces` })).text()).toBe('one two')
  await http.close()
})

test('a handler that cannot be reached cuts the connection, and one that breaks answers 500', async () => {
  await using served = await serveHandler({
    handler: ({ url }) => {
      if (url.pathname === '/broken') throw new Error('oh')
      throw Unreachable({ target: 'it', why: 'connection reset', sent: true })
    },
  })
  const http = httpClient({ clock })
  await expect(http.send({ method: 'GET', url: `${served.url}/away` })).rejects.toMatchObject({ code: Unreachable.code })
  expect((await http.send({ method: 'GET', url: `${served.url}/broken` })).status).toBe(500)
  await http.close()
})

test('a body that is too large is refused before it is all there, and the handler does not see it', async () => {
  const seen: number[] = []
  const handler = ({ body }: { readonly body: Uint8Array }) => {
    seen.push(body.length)
    return { status: 200 }
  }
  await using served = await serveHandler({ handler, maxBody: 1000 })
  const http = httpClient({ clock })
  const send = async (length: number) => (await http.send({ method: 'POST', url: served.url, body: 'x'.repeat(length) })).status
  expect([await send(1000), await send(1001), await send(10)]).toEqual([200, 413, 200])
  expect(seen).toEqual([1000, 10])
  await http.close()
})

test('web sockets are refused with a status, or carry messages both ways until one side ends them', async () => {
  const served: ServedWebSocket[] = []
  await using server = await serveHandler({
    handler: () => ({ status: 404 }),
    webSockets: (request, socket) => {
      if (request.headers['authorization'] !== 'Bearer abc') return { status: 401, body: 'no' }
      socket.send('hello')
      served.push(socket)
      return undefined
    },
  })
  const sockets = realWebSockets({ clock })
  const url = `ws://127.0.0.1:${server.port}/ws`
  await expect(sockets.connect({ url, signal })).rejects.toMatchObject({ code: Unreachable.code, details: { status: 401 } })
  const headers = { authorization: new Secret('Bearer abc') }
  const open = async () => {
    const connection = await sockets.connect({ url, headers, signal })
    const heard = connection.messages[Symbol.asyncIterator]()
    expect(await heard.next()).toEqual({ done: false, value: 'hello' })
    return { connection, heard, end: served.at(-1)! }
  }

  const first = await open()
  first.connection.send('eggs?')
  expect(await first.end.messages[Symbol.asyncIterator]().next()).toEqual({ done: false, value: 'eggs?' })
  first.end.send('three')
  expect(await first.heard.next()).toEqual({ done: false, value: 'three' })
  first.end.close()
  expect(await first.heard.next()).toEqual({ done: true, value: undefined })
  expect(first.end.over.aborted).toBe(true)

  const second = await open()
  second.end.breakOff()
  await expect(second.heard.next()).rejects.toMatchObject({ code: Unreachable.code })

  const third = await open()
  third.connection.close()
  expect(await third.end.messages[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
})

test('without a handler for them, web sockets are not found', async () => {
  await using server = await serveHandler({ handler: () => ({ status: 200 }) })
  const connecting = realWebSockets({ clock }).connect({ url: `ws://127.0.0.1:${server.port}/ws`, signal })
  await expect(connecting).rejects.toMatchObject({ details: { status: 404 } })
})
