import { expect, test } from 'vitest'
import { startEtcd } from '../peer.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

async function call(url: string, path: string, body: object): Promise<unknown> {
  return await (await fetch(url + path, { method: 'POST', body: JSON.stringify(body) })).json()
}

test('etcd keeps what it is given, two run side by side, and a stopped one is gone', async () => {
  const [one, other] = await Promise.all([startEtcd(), startEtcd({ durable: false })])
  try {
    await call(one.url, '/v3/kv/put', { key: base64('wren'), value: base64('nest') })
    expect(await call(one.url, '/v3/kv/range', { key: base64('wren') })).toMatchObject({ kvs: [{ value: base64('nest') }] })
    expect(await call(other.url, '/v3/kv/range', { key: base64('wren') })).not.toHaveProperty('kvs')
  } finally {
    await Promise.all([one.stop(), other.stop()])
  }
  await expect(call(one.url, '/v3/kv/range', { key: base64('wren') })).rejects.toThrow('fetch failed')
})
