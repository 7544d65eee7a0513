import { describe, expect, test } from 'vitest'
import { DeadlineExceeded, ResponseTooLarge, Unreachable } from './errors.ts'
import type { HttpRequest } from './http.ts'
import { Secret } from './secret.ts'
import { type HttpHandler, simulatedHttp } from './simulated-http.ts'
import { VirtualClock } from './virtual-clock.ts'

const clock = new VirtualClock()
const client = (handler: HttpHandler) => simulatedHttp(handler, { clock })
const request: HttpRequest = { method: 'GET', url: 'https://vcenter.example/sdk?token=hidden' }

/** Lets time pass until a call has come to its end. */
async function outcome<T>(work: Promise<T>, milliseconds = 60_000): Promise<T | { readonly error: unknown }> {
  const settled = work.catch((error: unknown) => ({ error }))
  await clock.advance(milliseconds)
  return await settled
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts).toString()
}

describe('a simulated server', () => {
  test('sees the request as a real one would, secrets revealed', async () => {
    const http = client(({ method, url, headers, text }) => ({
      status: 200,
      headers: { 'X-Upper': 'a' },
      body: `${method} ${url.pathname} ${url.searchParams.get('token')} ${headers['authorization']} ${text()}`,
    }))
    const answer = await http.send({ ...request, method: 'POST', headers: { Authorization: new Secret('Bearer abc') }, body: 'hoo' })
    expect(answer.text()).toBe('POST /sdk hidden Bearer abc hoo')
    expect(answer.headers).toEqual({ 'x-upper': 'a' })
  })

  test('can answer piece by piece, on the virtual clock', async () => {
    const http = client(() => ({
      status: 200,
      body: (async function* () {
        yield 'one'
        await clock.sleep(10_000)
        yield Buffer.from('two')
      })(),
    }))
    const { chunks } = await http.stream(request)
    expect(await outcome(textOf(chunks))).toBe('onetwo')
  })

  test('can lose its reply after the effect', async () => {
    let eggs = 0
    const http = client(() => {
      eggs++
      throw Unreachable({ target: 'vcenter', why: 'connection reset', sent: true })
    })
    await expect(http.send(request)).rejects.toMatchObject({ code: Unreachable.code, details: { sent: true } })
    expect(eggs).toBe(1)
  })

  test('that hangs meets the deadline, and learns that nobody waits any more', async () => {
    let signal: AbortSignal | undefined
    const http = client(call => {
      signal = call.signal
      return new Promise(() => {})
    })
    expect(await outcome(http.send({ ...request, timeout: 5000 }))).toMatchObject({ error: { code: DeadlineExceeded.code } })
    expect(signal?.aborted).toBe(true)
  })

  test('that hangs in the middle of its body meets the deadline too', async () => {
    const http = client(() => ({
      status: 200,
      body: (async function* () {
        yield 'one'
        await new Promise(() => {})
      })(),
    }))
    expect(await outcome(http.send({ ...request, timeout: 5000 }))).toMatchObject({ error: { code: DeadlineExceeded.code } })
    const { chunks } = await http.stream({ ...request, idleTimeout: 5000 })
    expect(await outcome(textOf(chunks))).toMatchObject({ error: { code: Unreachable.code } })
  })

  test('cannot say more than is wanted', async () => {
    const http = client(() => ({ status: 200, body: 'x'.repeat(11) }))
    await expect(http.send({ ...request, maxBytes: 10 })).rejects.toMatchObject({ code: ResponseTooLarge.code })
  })

  test('has its body closed when the reader leaves', async () => {
    let closed = false
    const http = client(() => ({
      status: 200,
      body: (async function* () {
        try {
          for (;;) yield 'tick'
        } finally {
          closed = true
        }
      })(),
    }))
    const { chunks } = await http.stream(request)
    for await (const chunk of chunks) {
      expect(chunk.byteLength).toBe(4)
      break
    }
    await clock.advance(0)
    expect(closed).toBe(true)
  })

  test('is not called for a request that is already aborted', async () => {
    const http = client(() => expect.unreachable())
    await expect(http.send({ ...request, signal: AbortSignal.abort('no') })).rejects.toBe('no')
  })

  test('answers HEAD without a body, and leaves no timer behind', async () => {
    const http = client(() => ({ status: 200, body: 'not for you' }))
    expect((await http.send({ ...request, method: 'HEAD' })).text()).toBe('')
    expect(await clock.runUntilIdle(0)).toBe(true)
  })
})
