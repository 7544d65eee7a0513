import { expect, test } from 'vitest'
import { simulatedHttp, VirtualClock } from '../../ports/index.ts'
import type { TlsTrust } from '../../ports/index.ts'
import { kubeHttp } from './kube-http.ts'

test('connections are made anew when the certificates are, and not before', async () => {
  const clock = new VirtualClock()
  let trust: TlsTrust = { ca: 'one' }
  const made: string[] = []
  const closed: string[] = []
  const client = kubeHttp(
    { trust: async () => trust },
    {
      clock,
      client: given => {
        made.push(given.ca ?? '')
        const inner = simulatedHttp(() => ({ status: 200, body: given.ca ?? '' }), { clock })
        return { ...inner, close: async () => void closed.push(given.ca ?? '') }
      },
    },
  )
  const ask = async () => (await client.send({ method: 'GET', url: 'https://api.test/' })).text()
  expect([await ask(), await ask()]).toEqual(['one', 'one'])
  trust = { ca: 'two' }
  expect(await ask()).toBe('two')
  expect(made).toEqual(['one', 'two'])
  expect(closed).toEqual([])
  await clock.advance(2000)
  expect(closed).toEqual(['one'])
  await client.close()
  expect(closed).toEqual(['one', 'two'])
})
