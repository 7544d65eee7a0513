import { connect as connectPlainly } from 'node:net'
import { connect } from 'node:tls'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { httpClient, realChance, realClock } from '../../ports/index.ts'
import { ListenFailed, PortInUse } from '../errors.ts'
import { makeAuthority, makeServerCertificate } from '../tls/make-certificate.ts'
import { httpsServer } from './https-server.ts'
import type { HttpsServer, Patience } from './https-server.ts'

const clock = realClock()
const chance = realChance()
const request = { now: Date.now(), lifetime: 3_600_000, chance }
const authority = await makeAuthority({ ...request, name: 'Test' })
const names = ['127.0.0.1', 'localhost']
const certificate = await makeServerCertificate({ ...request, name: 'first', names, authority })

const open: HttpsServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(opened => opened.close({ within: 0 })))
})

function server(patience?: Patience): HttpsServer {
  const made = httpsServer(certificate, { clock, ...(patience === undefined ? {} : { patience }) })
  made.app.get('/hello', () => 'hello')
  open.push(made)
  return made
}

async function get(url: string) {
  const http = httpClient({ clock, trust: { ca: authority.certificate } })
  try {
    return (await http.send({ method: 'GET', url })).text()
  } finally {
    await http.close()
  }
}

async function subjectSeen(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca: authority.certificate }, () => {
    resolve(socket.getPeerX509Certificate()?.subject ?? '')
    socket.destroy()
  })
  socket.on('error', reject)
  return promise
}

describe('the web server', () => {
  test('answers over TLS, on a free port if asked for port 0', async () => {
    const url = await server().listen({ host: '127.0.0.1', port: 0 })
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await get(`${url}/hello`)).toBe('hello')
  })

  test('on all addresses is reached on this machine’s own', async () => {
    const url = await server().listen({ host: '0.0.0.0', port: 0 })
    expect(new URL(url).hostname).toBe('127.0.0.1')
  })

  test('shows a new certificate to new connections, without a pause', async () => {
    const running = server()
    const url = await running.listen({ host: '127.0.0.1', port: 0 })
    expect(await subjectSeen(url)).toBe('CN=first')
    running.replaceCertificate(await makeServerCertificate({ ...request, name: 'second', names, authority }))
    expect(await subjectSeen(url)).toBe('CN=second')
    expect(await get(`${url}/hello`)).toBe('hello')
  })

  test('answers a path that cannot be read with a Status', async () => {
    const url = await server().listen({ host: '127.0.0.1', port: 0 })
    const answer = await get(`${url}/hello/%ff`)
    expect(JSON.parse(answer)).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'BadRequest', code: 400 })
  })

  test('says that a port is in use', async () => {
    const url = await server().listen({ host: '127.0.0.1', port: 0 })
    const error = await server()
      .listen({ host: '127.0.0.1', port: Number(new URL(url).port) })
      .catch((caught: unknown) => caught)
    expect(PortInUse.is(error) && error.message).toBe(`cannot listen on ${url.slice('https://'.length)}: the port is in use`)
  })

  test('says that an address is not this machine’s', async () => {
    const error = await server()
      .listen({ host: '192.0.2.1', port: 0 })
      .catch((caught: unknown) => caught)
    expect(ListenFailed.is(error) && error.details.why).toBe('this machine does not have that address')
  })

  const dawdlers = [
    ['says nothing', ''],
    ['never finishes the head of its request', 'GET /hello HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['never sends the body that it announced', 'POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc'],
  ] as const
  test.each(dawdlers)('cuts off a client that %s, and goes on serving others', async (_, said) => {
    const url = await server({ handshake: 500, head: 400, request: 800 }).listen({ host: '127.0.0.1', port: 0 })
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca: authority.certificate })
    socket.on('error', () => undefined).resume()
    socket.write(said)
    const closed = new Promise(resolve => socket.once('close', resolve))
    expect(await get(`${url}/hello`)).toBe('hello')
    await closed
    expect(await get(`${url}/hello`)).toBe('hello')
  })

  test('cuts off a client that does not get on with the handshake', async () => {
    const url = await server({ handshake: 300, head: 60_000, request: 60_000 }).listen({ host: '127.0.0.1', port: 0 })
    const socket = connectPlainly({ host: '127.0.0.1', port: Number(new URL(url).port) })
    await new Promise(resolve =>
      socket
        .on('error', () => undefined)
        .once('close', resolve)
        .resume(),
    )
    expect(await get(`${url}/hello`)).toBe('hello')
  })

  test('that is closed lets requests under way end, and cuts off those that never do', async () => {
    const running = server()
    const { promise: answer, resolve: finish } = Promise.withResolvers<string>()
    const reached: string[] = []
    running.app.get('/slow', () => {
      reached.push('slow')
      return answer
    })
    running.app.get('/endless', () => {
      reached.push('endless')
      return new Promise(() => undefined)
    })
    const url = await running.listen({ host: '127.0.0.1', port: 0 })
    const slow = get(`${url}/slow`)
    const endless = get(`${url}/endless`).catch(() => 'cut off')
    await vi.waitFor(() => expect(reached).toHaveLength(2))
    const closing = running.close({ within: 300 })
    finish('done')
    expect(await slow).toBe('done')
    expect(await endless).toBe('cut off')
    await closing
    await expect(get(`${url}/hello`)).rejects.toThrow('did not answer')
  })
})
