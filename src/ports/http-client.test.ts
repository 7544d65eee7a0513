import { once } from 'node:events'
import { inspect } from 'node:util'
import { constants, createGzip, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Clock, realClock } from './clock.ts'
import { DeadlineExceeded, RequestNotValid, ResponseTooLarge, Unreachable } from './errors.ts'
import { httpClient } from './http-transport.ts'
import type { HttpClientOptions, HttpRequest } from './http.ts'
import { Secret } from './secret.ts'
import { httpServer, rawServer } from './testing/server.ts'
import { VirtualClock } from './virtual-clock.ts'

const clock = realClock()
const plenty = 15_000

function client(options: HttpClientOptions & { readonly clock?: Clock } = {}) {
  const made = httpClient({ clock, ...options })
  onTestFinished(() => Promise.race([made.close(), clock.sleep(100)]))
  return made
}

const get = (port: number, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url: `http://127.0.0.1:${port}/birds/owl?token=hidden`,
  timeout: plenty,
  ...more,
})

/** What a call rejected with. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  )
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts).toString()
}

describe('sending', () => {
  test('carries method, path, query, headers and body there, and status, headers and body back', async () => {
    await using server = await httpServer(async (request, response) => {
      const body = (await request.toArray()).join('')
      const { method, url, headers } = request
      response.writeHead(418, { 'X-One': ['a', 'b'], 'content-type': 'application/json' })
      response.end(JSON.stringify({ method, url, sent: headers['x-sent'], secret: headers['authorization'], body }))
    })
    const answer = await client().send({
      method: 'POST',
      url: `http://127.0.0.1:${server.port}/birds/owl?wild=true`,
      headers: { 'X-Sent': 'yes', authorization: new Secret('Bearer abc') },
      body: 'hoo 🦉',
    })
    expect(answer.status).toBe(418)
    expect(answer.headers).toMatchObject({ 'x-one': 'a, b', 'content-type': 'application/json' })
    expect(JSON.parse(answer.text())).toEqual({
      method: 'POST',
      url: '/birds/owl?wild=true',
      sent: 'yes',
      secret: 'Bearer abc',
      body: 'hoo 🦉',
    })
  })

  test('a body of bytes arrives as it is, and so does the answer', async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256)
    await using server = await httpServer((request, response) => request.pipe(response))
    const { body } = await client().send({ ...get(server.port), method: 'PUT', body: bytes })
    expect(Buffer.compare(body, bytes)).toBe(0)
  })

  test('an answer without a body is an answer', async () => {
    await using server = await httpServer((_request, response) => response.writeHead(204).end())
    expect(await client().send(get(server.port))).toMatchObject({ status: 204, body: { byteLength: 0 } })
    expect((await client().send({ ...get(server.port), method: 'HEAD' })).text()).toBe('')
  })

  test('a redirect is an answer, not followed', async () => {
    await using server = await httpServer((_request, response) => response.writeHead(302, { location: '/elsewhere' }).end())
    expect(await client().send(get(server.port))).toMatchObject({ status: 302, headers: { location: '/elsewhere' } })
  })

  test('an early hint is not yet the answer', async () => {
    await using server = await httpServer((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      response.end('the answer')
    })
    expect((await client().send(get(server.port))).text()).toBe('the answer')
  })

  test('connections are used again, and no more are made than allowed', async () => {
    await using server = await httpServer((_request, response) => response.end('ok'))
    const http = client({ connections: 2 })
    for (let round = 0; round < 10; round++) await http.send(get(server.port))
    await Promise.all(Array.from({ length: 20 }, () => http.send(get(server.port))))
    expect(server.connections()).toBeLessThanOrEqual(2)
  })
})

describe('a compressed answer', () => {
  const packed = gzipSync('x'.repeat(1_000_000))
  const answerPacked = () => httpServer((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))

  test('is unpacked if the request asked for it', async () => {
    await using server = await answerPacked()
    const { body, headers } = await client().send(get(server.port, { headers: { 'Accept-Encoding': 'gzip' } }))
    expect(body).toHaveLength(1_000_000)
    expect(headers).not.toHaveProperty('content-encoding')
    expect(headers).not.toHaveProperty('content-length')
  })

  test('is left as it is if not', async () => {
    await using server = await answerPacked()
    const { body, headers } = await client().send(get(server.port))
    expect(body).toHaveLength(packed.length)
    expect(headers['content-encoding']).toBe('gzip')
  })

  test.each([204, 304])('is no answer to be unpacked if there is none: status %i', async status => {
    await using server = await httpServer((_request, response) => response.writeHead(status, { 'content-encoding': 'gzip' }).end())
    const answer = await client().send(get(server.port, { headers: { 'accept-encoding': 'gzip' } }))
    expect(answer).toMatchObject({ status, body: { byteLength: 0 } })
  })

  test('is too large if it unpacks to too much', async () => {
    await using server = await answerPacked()
    const request = get(server.port, { headers: { 'accept-encoding': 'gzip' }, maxBytes: 100_000 })
    expect(packed.length).toBeLessThan(100_000)
    expect(await failureOf(client().send(request))).toMatchObject({ code: ResponseTooLarge.code })
  })

  test.each([
    ['damaged', Buffer.from('this is no gzip')],
    ['cut short', packed.subarray(0, packed.length - 20)],
  ])('that is %s is no answer', async (_how, body) => {
    await using server = await httpServer((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body))
    expect(await failureOf(client().send(get(server.port, { headers: { 'accept-encoding': 'gzip' } })))).toMatchObject({
      code: Unreachable.code,
      message: expect.stringContaining('damaged or cut short'),
    })
  })

  test('is unpacked piece by piece as it comes, and closes its connection when it is left', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await httpServer((_request, response) => {
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
      response.on('close', closed.resolve).writeHead(200, { 'content-encoding': 'gzip' })
      gzip.pipe(response)
      gzip.write('first')
    })
    const { chunks } = await client().stream(get(server.port, { headers: { 'accept-encoding': 'gzip' } }))
    for await (const chunk of chunks) {
      expect(Buffer.from(chunk).toString()).toBe('first')
      break
    }
    await closed.promise
  })
})

describe('time limits', () => {
  const quick = 50

  test('before the head: DeadlineExceeded, and the connection is let go of', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await httpServer(request => request.on('close', closed.resolve))
    const error = await failureOf(client().send(get(server.port, { timeout: quick })))
    expect(error).toMatchObject({ code: DeadlineExceeded.code, details: { milliseconds: quick } })
    await closed.promise
  })

  test('in the middle of the body too', async () => {
    await using server = await httpServer((_request, response) => void response.writeHead(200).write('some'))
    expect(await failureOf(client().send(get(server.port, { timeout: quick })))).toMatchObject({ code: DeadlineExceeded.code })
  })

  test('before the head of a stream', async () => {
    await using server = await httpServer(() => {})
    expect(await failureOf(client().stream(get(server.port, { timeout: quick })))).toMatchObject({ code: DeadlineExceeded.code })
  })

  test('do not cut a stream that has begun', async () => {
    const begun = Promise.withResolvers<() => void>()
    await using server = await httpServer((_request, response) => {
      response.write('some')
      begun.resolve(() => response.end('thing'))
    })
    const timeless = new VirtualClock()
    const { chunks } = await client({ clock: timeless }).stream(get(server.port, { timeout: quick }))
    const finish = await begun.promise
    await timeless.advance(4 * quick)
    finish()
    expect(await textOf(chunks)).toBe('something')
  })

  test('hold while all connections are taken, and such a request is never sent', async () => {
    let requests = 0
    const arrived = Promise.withResolvers<() => void>()
    await using server = await httpServer((_request, response) => {
      requests++
      if (requests === 1) arrived.resolve(() => response.end('first'))
      else response.end('later')
    })
    const http = client({ connections: 1 })
    const first = http.send(get(server.port))
    const answer = await arrived.promise
    expect(await failureOf(http.send(get(server.port, { timeout: quick })))).toMatchObject({ code: DeadlineExceeded.code })
    answer()
    expect((await first).text()).toBe('first')
    expect((await http.send(get(server.port))).text()).toBe('later')
    expect([requests, server.connections()]).toEqual([2, 1])
  })

  test('hold while a connection is being made', async () => {
    // 192.0.2.0/24 is reserved for documentation: nobody answers there, neither with yes nor with no.
    const http = client({ connectTimeout: 500 })
    const error = await failureOf(http.send({ method: 'GET', url: 'http://192.0.2.1/', timeout: quick }))
    expect([DeadlineExceeded.code, Unreachable.code]).toContain((error as { code: string }).code)
  })

  test('end a stream that stays silent', async () => {
    await using server = await httpServer((_request, response) => void response.writeHead(200).write('some'))
    const { chunks } = await client().stream(get(server.port, { idleTimeout: quick }))
    expect(await failureOf(textOf(chunks))).toMatchObject({
      code: Unreachable.code,
      details: { sent: true },
      message: expect.stringContaining('nothing came for 50 ms'),
    })
  })

  test('do not count the time that the reader takes', async () => {
    await using server = await httpServer((_request, response) => response.end('some'))
    const timeless = new VirtualClock()
    const { chunks } = await client({ clock: timeless }).stream(get(server.port, { idleTimeout: quick }))
    for await (const chunk of chunks) {
      await timeless.advance(4 * quick)
      expect(Buffer.from(chunk).toString()).toBe('some')
    }
  })
})

describe('the caller’s signal', () => {
  test('aborted before: nothing is sent', async () => {
    await using server = await httpServer(() => expect.unreachable())
    expect(await failureOf(client().send(get(server.port, { signal: AbortSignal.abort('no') })))).toBe('no')
    expect(server.connections()).toBe(0)
  })

  test('aborted while waiting for the head: its reason', async () => {
    const stop = new AbortController()
    await using server = await httpServer(() => stop.abort('enough'))
    expect(await failureOf(client().send(get(server.port, { signal: stop.signal })))).toBe('enough')
  })

  test('aborted in the middle of a stream: its reason, at once, and the connection is closed', async () => {
    const stop = new AbortController()
    const closed = Promise.withResolvers<void>()
    await using server = await httpServer((_request, response) => void response.on('close', closed.resolve).write('some'))
    const { chunks } = await client().stream(get(server.port, { signal: stop.signal }))
    const read = textOf(chunks)
    stop.abort('enough')
    expect(await failureOf(read)).toBe('enough')
    await closed.promise
  })

  test('aborted after the answer: nothing happens', async () => {
    const stop = new AbortController()
    await using server = await httpServer((_request, response) => response.end('ok'))
    const answer = await client().send(get(server.port, { signal: stop.signal }))
    stop.abort()
    expect(answer.text()).toBe('ok')
  })
})

describe('streams', () => {
  test('hand over the body while it arrives', async () => {
    let more = () => {}
    await using server = await httpServer((_request, response) => {
      response.write('one')
      more = () => response.end('two')
    })
    const { status, chunks } = await client().stream(get(server.port))
    expect(status).toBe(200)
    const seen: string[] = []
    for await (const chunk of chunks) {
      seen.push(Buffer.from(chunk).toString())
      more()
    }
    expect(seen.join('|')).toBe('one|two')
  })

  test('that are left early close their connection', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await httpServer((_request, response) => {
      const timer = setInterval(() => response.write('tick'), 5)
      response.on('close', () => (clearInterval(timer), closed.resolve()))
    })
    const { chunks } = await client().stream(get(server.port))
    for await (const chunk of chunks) {
      expect(chunk.byteLength).toBeGreaterThan(0)
      break
    }
    await closed.promise
  })

  test('that are left before the first piece close their connection too', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await httpServer((_request, response) => response.on('close', closed.resolve).flushHeaders())
    const { chunks } = await client().stream(get(server.port))
    expect(await chunks[Symbol.asyncIterator]().return?.()).toEqual({ done: true, value: undefined })
    await closed.promise
  })

  test('slow down a sender whose reader is slow, and lose nothing', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x')
    const total = 500
    let written = 0
    await using server = await httpServer(async (_request, response) => {
      for (; written < total; written++) if (!response.write(piece)) await once(response, 'drain')
      response.end()
    })
    const { chunks } = await client().stream(get(server.port))
    let bytes = 0
    for await (const chunk of chunks) {
      if (bytes === 0) {
        // Until the sender has stopped, as it must while nobody reads.
        for (let before = -1; before !== written; await clock.sleep(100)) before = written
        expect(written).toBeLessThan(total)
      }
      bytes += chunk.byteLength
    }
    expect(bytes).toBe(total * piece.length)
  })

  test('that break off say so after what did arrive', async () => {
    await using server = await httpServer((_request, response) => {
      response.write('some')
      setTimeout(() => response.destroy(), 20)
    })
    const { chunks } = await client().stream(get(server.port))
    const seen: string[] = []
    const read = async () => {
      for await (const chunk of chunks) seen.push(Buffer.from(chunk).toString())
    }
    expect(await failureOf(read())).toMatchObject({ code: Unreachable.code, details: { sent: true } })
    expect(seen).toEqual(['some'])
  })
})

describe('size limits', () => {
  test('an answer that announces too much is not read at all', async () => {
    await using server = await httpServer((_request, response) => response.writeHead(200, { 'content-length': '5000' }).flushHeaders())
    expect(await failureOf(client().send(get(server.port, { maxBytes: 4999 })))).toMatchObject({
      code: ResponseTooLarge.code,
      message: `GET http://127.0.0.1:${server.port}/birds/owl answered with more than 4999 bytes`,
    })
  })

  test('an answer that turns out to be too much ends there, and so does a stream', async () => {
    await using server = await httpServer((_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(1000)), 1)
      response.on('close', () => clearInterval(timer))
    })
    expect(await failureOf(client().send(get(server.port, { maxBytes: 5000 })))).toMatchObject({ code: ResponseTooLarge.code })
    const { chunks } = await client().stream(get(server.port, { maxBytes: 5000 }))
    expect(await failureOf(textOf(chunks))).toMatchObject({ code: ResponseTooLarge.code })
  })

  test('exactly as much as allowed is allowed', async () => {
    await using server = await httpServer((_request, response) => response.end('12345'))
    expect((await client().send(get(server.port, { maxBytes: 5 }))).text()).toBe('12345')
  })

  test('a HEAD may announce what it likes', async () => {
    await using server = await httpServer((_request, response) => response.writeHead(200, { 'content-length': '5000' }).end())
    expect((await client().send({ ...get(server.port, { maxBytes: 10 }), method: 'HEAD' })).status).toBe(200)
  })
})

describe('no answer', () => {
  test('a refused connection: certainly not sent', async () => {
    const server = await httpServer(() => {})
    await server[Symbol.asyncDispose]()
    expect(await failureOf(client().send(get(server.port)))).toMatchObject({
      code: Unreachable.code,
      message: `GET http://127.0.0.1:${server.port}/birds/owl did not answer: connection refused (ECONNREFUSED)`,
      details: { sent: false },
      cause: { code: 'ECONNREFUSED' },
    })
  })

  test('a name that nobody knows: certainly not sent', async () => {
    const error = await failureOf(client().send({ method: 'GET', url: 'http://no-such-host.invalid/', timeout: plenty }))
    expect(error).toMatchObject({ code: Unreachable.code, details: { sent: false } })
  })

  test('a reset once the request is on its way: perhaps done', async () => {
    let done = 0
    await using server = await rawServer(socket =>
      socket.once('data', () => {
        done++
        socket.resetAndDestroy()
      }),
    )
    const error = await failureOf(client().send({ ...get(server.port), method: 'POST', body: 'lay an egg' }))
    expect(error).toMatchObject({ code: Unreachable.code, details: { sent: true } })
    // Once: a request is never repeated behind the caller's back.
    expect([done, server.connections()]).toEqual([1, 1])
  })

  test('a close in the middle of the answer: done, but unknown how', async () => {
    await using server = await rawServer(socket =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
    )
    expect(await failureOf(client().send(get(server.port)))).toMatchObject({ code: Unreachable.code, details: { sent: true } })
  })

  test('something that is not HTTP: the error does not repeat it', async () => {
    await using server = await rawServer(socket => socket.once('data', () => socket.end('SSH-2.0-hidden\r\n')))
    const error = await failureOf(client().send(get(server.port)))
    expect(error).toMatchObject({ code: Unreachable.code, message: expect.stringContaining('does not match the HTTP/1.1 protocol') })
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('SSH')
  })

  test('a client that is closed sends nothing', async () => {
    await using server = await httpServer(() => expect.unreachable())
    const http = client()
    await http.close()
    expect(await failureOf(http.send(get(server.port)))).toMatchObject({ code: Unreachable.code, details: { sent: false } })
  })

  test('a client that is being closed finishes what it has begun', async () => {
    const arrived = Promise.withResolvers<() => void>()
    await using server = await httpServer((_request, response) => arrived.resolve(() => response.end('done')))
    const http = client()
    const sent = http.send(get(server.port))
    const answer = await arrived.promise
    const closed = http.close()
    answer()
    expect((await sent).text()).toBe('done')
    await closed
  })
})

describe('errors', () => {
  test('name method, scheme, host and path, but never query, headers or body', async () => {
    await using server = await rawServer(socket => socket.once('data', () => socket.destroy()))
    const headers = { authorization: new Secret('Bearer hidden'), cookie: 'hidden' }
    const error = await failureOf(client().send({ ...get(server.port), method: 'POST', headers, body: 'hidden' }))
    expect((error as Error).message).toContain(`POST http://127.0.0.1:${server.port}/birds/owl did not answer`)
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('hidden')
  })

  test.each([
    ['a URL that cannot be read', { url: 'hidden' }, 'cannot be read'],
    ['another scheme', { url: 'ftp://hidden/' }, 'begins with ftp:'],
    ['credentials in the URL', { url: 'https://user:hidden@host/' }, 'user name or password'],
    ['a line break in a header', { headers: { 'x-a': 'hidden\r\nx-b: c' } }, 'x-a'],
  ])('%s is refused before anything is sent', async (_case, more, what) => {
    const error = await failureOf(client().send({ method: 'GET', url: 'http://127.0.0.1:9/', ...more }))
    expect(error).toMatchObject({ code: RequestNotValid.code, message: expect.stringContaining(what), fix: expect.any(String) })
    expect(inspect(error, { depth: null, showHidden: true }).replace(/ftp:\/\/hidden/, '')).not.toContain('hidden')
  })
})
