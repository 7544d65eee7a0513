import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { isoTime, memoryFiles, realChance, VirtualClock } from '../../ports/index.ts'
import { AccessToken, allKinds } from '../../kinds/index.ts'
import { parseToken, proves } from '../../access/index.ts'
import { memoryStore } from '../../store/index.ts'
import { writeLocalKubeconfig } from './local-kubeconfig.ts'
import type { LocalKubeconfigOptions } from './local-kubeconfig.ts'

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Record<string, string> }[]
  readonly users: readonly { readonly user: { readonly token?: string } }[]
}

function setUp() {
  const chance = realChance()
  const clock = new VirtualClock({ start: 0 })
  const store = memoryStore({ kinds: allKinds, clock, chance })
  const files = memoryFiles()
  const write = async (more: Partial<LocalKubeconfigOptions> = {}) => {
    const options = { folder: '/d', url: 'https://127.0.0.1:7443', ca: 'PEM', withToken: true, store, files, clock, chance, ...more }
    return parse(await files.read(await writeLocalKubeconfig(options))) as Kubeconfig
  }
  const isGood = async (token: string | undefined) => {
    const kept = await store.get(AccessToken, { name: 'local-admin' }).catch(() => undefined)
    return kept !== undefined && proves(parseToken(token ?? '')?.proof ?? '', kept.spec.hash)
  }
  /** Somebody gives the token an end, a minute from now. */
  const expire = async () => {
    const kept = await store.get(AccessToken, { name: 'local-admin' })
    await store.update(AccessToken, { ...kept, spec: { ...kept.spec, expires: isoTime(clock.now() + 60_000) } })
  }
  return { store, files, clock, write, isGood, expire }
}

describe('the kubeconfig in the data folder', () => {
  test('has the URL, the authority and a token that makes its bearer an administrator', async () => {
    const { write, isGood, store } = setUp()
    const { clusters, users } = await write()
    expect(clusters[0]?.cluster).toEqual({
      server: 'https://127.0.0.1:7443',
      'certificate-authority-data': Buffer.from('PEM').toString('base64'),
    })
    expect(await isGood(users[0]?.user.token)).toBe(true)
    expect((await store.get(AccessToken, { name: 'local-admin' })).spec.groups).toEqual(['system:masters'])
  })

  test('keeps its token from start to start, while URL and authority follow the server', async () => {
    const { write, isGood } = setUp()
    const first = await write()
    const second = await write({ url: 'https://other:1', ca: undefined })
    expect(second.users[0]?.user.token).toBe(first.users[0]?.user.token)
    expect(await isGood(second.users[0]?.user.token)).toBe(true)
    expect(second.clusters[0]?.cluster).toEqual({ server: 'https://other:1' })
  })

  test.each([
    ['it was removed', async ({ files }: ReturnType<typeof setUp>) => files.remove('/d/kubeconfig')],
    ['it was damaged', async ({ files }: ReturnType<typeof setUp>) => files.write('/d/kubeconfig', 'apiVersion: v1')],
    [
      'the token has expired',
      async ({ clock, expire }: ReturnType<typeof setUp>) => {
        await expire()
        await clock.advance(60_000)
      },
    ],
    ['somebody deleted the token', async ({ store }: ReturnType<typeof setUp>) => store.delete(AccessToken, { name: 'local-admin' })],
  ])('gets a new token, and the old one is worth nothing, if %s', async (_, happen) => {
    const world = setUp()
    const old = (await world.write()).users[0]?.user.token
    await happen(world)
    const fresh = (await world.write()).users[0]?.user.token
    expect(fresh).not.toBe(old)
    expect(await world.isGood(fresh)).toBe(true)
    expect(await world.isGood(old)).toBe(false)
  })

  test('keeps a token that has an end until then', async () => {
    const { write, expire } = setUp()
    const old = (await write()).users[0]?.user.token
    await expire()
    expect((await write()).users[0]?.user.token).toBe(old)
  })

  test('has no token if none is wanted, and one of before is worth nothing', async () => {
    const { write, isGood } = setUp()
    const old = (await write()).users[0]?.user.token
    expect((await write({ withToken: false })).users[0]?.user).toEqual({})
    expect(await isGood(old)).toBe(false)
  })
})
