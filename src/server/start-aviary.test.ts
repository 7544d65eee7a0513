import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Clock, httpClient, realChance, realClock } from '../ports/index.ts'
import { AccessToken, ConfigMap, Namespace, Nest } from '../kinds/index.ts'
import { loopback } from './testing/aviary-on-loopback.ts'
import { makeAuthority, makeServerCertificate } from './tls/make-certificate.ts'

describe('the program on the embedded engine', () => {
  test('trap 9: serves over TLS that only its own authority vouches for, and over nothing else', async () => {
    await using world = await loopback()
    const aviary = await world.start()
    expect(aviary.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect((await world.send(aviary, '/readyz', { token: '' })).text()).toBe('ok')
    const stranger = httpClient({ clock: realClock() })
    world.later(() => stranger.close())
    await expect(stranger.send({ method: 'GET', url: `${aviary.url}/readyz` })).rejects.toThrow(/certificate/)
    await expect(stranger.send({ method: 'GET', url: `${aviary.url.replace('https', 'http')}/readyz` })).rejects.toThrow('did not answer')
  })

  test('has the namespace default, and a kubeconfig with which its reader may do everything', async () => {
    await using world = await loopback()
    const store = await world.store(await world.start())
    expect((await store.list(Namespace)).items.map(({ object }) => object.metadata.name)).toEqual(['default'])
    await store.create(Nest, { metadata: { namespace: 'default', name: 'robin' }, spec: { eggs: 2 } })
    expect((await store.get(Nest, { namespace: 'default', name: 'robin' })).spec).toMatchObject({ eggs: 2, material: 'twig' })
  })

  test('shows nothing to strangers but that it is there', async () => {
    await using world = await loopback()
    const aviary = await world.start()
    const statuses = async (...paths: string[]) =>
      await Promise.all(paths.map(async path => (await world.send(aviary, path, { token: '' })).status))
    expect(await statuses('/healthz', '/livez', '/readyz', '/version')).toEqual([200, 200, 200, 200])
    expect(await statuses('/api', '/apis', '/metrics', '/aviary/backup', '/api/v1/secrets', '/', '/none')).toEqual([
      401, 401, 401, 401, 401, 401, 401,
    ])
    expect((await world.send(aviary, '/version', { token: 'aviary_local-admin_wrong' })).status).toBe(401)
  })

  test('keeps keys and tokens from other users of the machine', async () => {
    await using world = await loopback()
    await world.start()
    for (const file of ['kubeconfig', 'tls/authority.pem', 'tls/server.pem']) {
      expect((await stat(join(world.dataDir, file))).mode & 0o777).toBe(0o600)
    }
    expect((await stat(world.dataDir)).mode & 0o777).toBe(0o700)
  })

  test('shows a certificate that was replaced while it runs, and its kubeconfig trusts the new authority with the old token', async () => {
    await using world = await loopback()
    const replace = async () => {
      const request = { name: 'zoo', now: Date.now(), lifetime: 3_600_000, chance: realChance() }
      const authority = await makeAuthority(request)
      const pair = await makeServerCertificate({ ...request, names: ['127.0.0.1'], authority })
      await writeFile(join(world.folder, 'c.pem'), pair.certificate)
      await writeFile(join(world.folder, 'k.pem'), pair.key.reveal())
      await writeFile(join(world.folder, 'ca.pem'), authority.certificate)
      return authority.certificate
    }
    await replace()
    const clock = realClock()
    const hasty = {
      ...clock,
      after: (...[wait, callback]: Parameters<Clock['after']>) => clock.after(wait === 60_000 ? 20 : wait, callback),
    }
    const aviary = await world.start('[server.tls]\ncertificate = "c.pem"\nkey = { file = "k.pem" }\nca = "ca.pem"', { clock: hasty })
    const token = await world.token(aviary)
    const ca = Buffer.from(await replace()).toString('base64')
    await expect.poll(() => readFile(aviary.kubeconfig!, 'utf8'), { timeout: 10_000 }).toContain(ca)
    expect((await world.send(aviary, '/api', { token })).status).toBe(200)
  })

  test('keeps objects, tokens and its authority over a restart', async () => {
    await using world = await loopback()
    const first = await world.start()
    const token = await world.token(first)
    const before = await world.store(first)
    const made = await before.create(ConfigMap, { metadata: { namespace: 'default', name: 'note' }, data: { a: '1' } })
    await first.stop()

    const second = await world.start()
    expect(await world.token(second)).toBe(token)
    expect((await world.send(second, '/api', { token })).status).toBe(200)
    const after = await world.store(second)
    expect(await after.get(ConfigMap, { namespace: 'default', name: 'note' })).toEqual(made)
  })

  test('leaves a clean folder behind when it is stopped, and a second stop is the first', async () => {
    await using world = await loopback()
    const aviary = await world.start('[access.audit]\nlog = "all"')
    await world.send(aviary, '/api')
    await Promise.all([aviary.stop(), aviary.stop()])
    expect(await readdir(world.dataDir)).toEqual([
      'audit',
      'aviary.db',
      'aviary.db-acknowledged',
      'kubeconfig',
      'lock',
      'lock.owner',
      'tls',
    ])
    await expect(world.send(aviary, '/healthz', { token: '' })).rejects.toThrow(/did not answer/)
  })

  test('ends watches and stops at once although somebody is watching', async () => {
    await using world = await loopback()
    const aviary = await world.start('[server]\nstopTimeout = "10m"')
    const store = await world.store(aviary)
    const watching = new AbortController()
    const seen: string[] = []
    const ended = (async () => {
      for await (const batch of store.watch(Nest, { initialEvents: true, signal: watching.signal }))
        seen.push(...batch.map(event => event.type))
    })()
    await expect.poll(() => seen).toContain('BOOKMARK')
    await aviary.stop()
    await ended.catch(() => undefined)
  })

  test('collects garbage and empties namespaces', async () => {
    await using world = await loopback()
    const store = await world.store(await world.start())
    await store.create(Namespace, { metadata: { name: 'team' } })
    const owner = await store.create(ConfigMap, { metadata: { namespace: 'team', name: 'owner' } })
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid! }
    await store.create(ConfigMap, { metadata: { namespace: 'team', name: 'owned', ownerReferences: [reference] } })
    await store.delete(ConfigMap, { namespace: 'team', name: 'owner' })
    await expect.poll(async () => (await store.list(ConfigMap)).items.length).toBe(0)
    await store.create(ConfigMap, { metadata: { namespace: 'team', name: 'left' } })
    await store.delete(Namespace, { name: 'team' })
    await expect.poll(async () => (await store.list(Namespace)).items.map(({ object }) => object.metadata.name)).toEqual(['default'])
    expect((await store.list(ConfigMap)).items).toEqual([])
  })

  test('shows metrics to those who may see them', async () => {
    await using world = await loopback()
    const aviary = await world.start()
    const { status, headers, text } = await world.send(aviary, '/metrics')
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(text()).toMatch(/^aviary_store_revision \d+$/m)
    expect(text()).toMatch(/^aviary_access_authentications_total\{.*\} \d+$/m)
  })

  test('shows life if the demo is wanted', async () => {
    await using world = await loopback()
    const store = await world.store(await world.start('[demo]\nenabled = true'))
    const nests = async () => (await store.list(Nest)).items.map(({ object }) => object)
    await expect
      .poll(async () => (await nests()).map(({ metadata, status }) => `${metadata.name} ${status?.conditions?.[0]?.reason}`))
      .toEqual(['owl Paused', 'robin Building', 'starling TreeTaken', 'wren Building'])
  })

  test('is told by what name clients reach it', async () => {
    await using world = await loopback()
    const aviary = await world.start('[server]\nurl = "https://aviary.example.com:8443"')
    expect(await world.send({ ...aviary, url: aviary.url.replace('127.0.0.1', 'localhost') }, '/healthz')).toMatchObject({ status: 200 })
    expect(await readFile(aviary.kubeconfig!, 'utf8')).toContain('"server": "https://aviary.example.com:8443"')
  })

  test('without a local administrator writes no token, and has none', async () => {
    await using world = await loopback()
    const first = await world.start()
    const token = await world.token(first)
    await first.stop()
    const second = await world.start('[access]\nlocalAdmin = false')
    expect(await world.token(second)).toBe('')
    expect((await world.send(second, '/api', { token })).status).toBe(401)
  })
})

describe('a start that cannot succeed says why, and damages nothing', () => {
  test('a data folder that another process has', async () => {
    await using world = await loopback()
    const aviary = await world.start()
    const before = await readdir(world.dataDir)
    const error = await world.start().catch((caught: unknown) => caught)
    expect((error as Error).message).toMatch(/data folder .* is in use by process \d+/)
    expect(error).toMatchObject({ code: 'STORE_FOLDER_IN_USE' })
    expect(await readdir(world.dataDir)).toEqual(before)
    expect((await world.send(aviary, '/api')).status).toBe(200)
  })

  test('a port that is in use, after which the folder is free again', async () => {
    await using world = await loopback()
    const aviary = await world.start()
    const listen = new URL(aviary.url).host
    const error = await world.start(`[server]\nlisten = "${listen}"\ndataDir = "other"`).catch((caught: unknown) => caught)
    expect((error as Error).message).toBe(`cannot listen on ${listen}: the port is in use`)
    expect(error).toMatchObject({ code: 'SERVER_LISTEN_PORT_IN_USE' })
    expect((await world.send(aviary, '/api')).status).toBe(200)
    await world.start('[server]\nlisten = "127.0.0.1:0"\ndataDir = "other"')
  })

  test('a certificate that cannot be read', async () => {
    await using world = await loopback()
    const error = await world.start('[server.tls]\ncertificate = "none.pem"\nkey = "x"').catch((caught: unknown) => caught)
    expect((error as Error).message).toMatch(/the certificate .*none\.pem cannot be used: there is no file/)
    expect(error).toMatchObject({ code: 'SERVER_CERTIFICATE_NOT_USABLE' })
    await world.start()
  })

  test('a data folder that is a file', async () => {
    await using world = await loopback()
    await writeFile(world.dataDir, 'in the way')
    const error = await world.start().catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'STORE_FOLDER_NOT_WRITABLE' })
  })

  test('an authority that is damaged is not replaced', async () => {
    await using world = await loopback()
    await (await world.start()).stop()
    await writeFile(join(world.dataDir, 'tls/authority.pem'), 'damaged')
    const error = await world.start().catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'SERVER_AUTHORITY_NOT_USABLE' })
  })
})

test('an administrator can rotate the local token by removing the kubeconfig', async () => {
  await using world = await loopback()
  const first = await world.start()
  const old = await world.token(first)
  await first.stop()
  const { rm } = await import('node:fs/promises')
  await rm(first.kubeconfig!)
  const second = await world.start()
  expect((await world.send(second, '/api', { token: old })).status).toBe(401)
  expect((await world.send(second, '/api')).status).toBe(200)
  const store = await world.store(second)
  expect((await store.list(AccessToken)).items).toHaveLength(1)
})
