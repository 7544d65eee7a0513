import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CustomResourceDefinition, Namespace, Nest } from '../../../src/kinds/index.ts'
import { realClock } from '../../../src/ports/index.ts'
import { installCrds } from '../../../src/store/index.ts'
import { engineFrom } from './engine.ts'
import { startRealServer } from './real-server.ts'

describe('at a real kube-apiserver', () => {
  let real: Awaited<ReturnType<typeof startRealServer>>
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'aviary-access-'))
    real = await startRealServer()
  })
  afterAll(async () => {
    await real.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** What somebody with that kubeconfig gets when they list namespaces. */
  async function listAs(file: string): Promise<unknown> {
    const engine = await engineFrom(file)
    try {
      return (await engine.store.list(Namespace)).items.length > 0 ? 'listed' : 'nothing'
    } catch (error) {
      return error
    } finally {
      await engine.close()
    }
  }

  /** A kubeconfig for the server with another user, or another CA. */
  function kubeconfig(name: string, user: object, ca = real.server.ca): string {
    const file = join(folder, name)
    const cluster = { server: real.server.url, 'certificate-authority-data': Buffer.from(ca).toString('base64') }
    const contexts = [{ name: 'c', context: { cluster: 's', user: 'u' } }]
    const config = { clusters: [{ name: 's', cluster }], users: [{ name: 'u', user }], contexts, 'current-context': 'c' }
    writeFileSync(file, JSON.stringify(config))
    return file
  }

  test('a client certificate, a token, a token file and a credential plugin all open the door', async () => {
    const { adminToken } = real.server
    writeFileSync(join(folder, 'token'), `${adminToken}\n`)
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: adminToken } }
    writeFileSync(join(folder, 'credential.json'), JSON.stringify(credential))
    const exec = { apiVersion: credential.apiVersion, command: 'cat', args: [join(folder, 'credential.json')], interactiveMode: 'Never' }
    expect(await listAs(real.server.kubeconfig)).toBe('listed')
    expect(await listAs(kubeconfig('with-token', { token: adminToken }))).toBe('listed')
    expect(await listAs(kubeconfig('with-file', { tokenFile: 'token' }))).toBe('listed')
    expect(await listAs(kubeconfig('with-plugin', { exec }))).toBe('listed')
  })

  test('a token that is renewed after it was refused goes on without an error', async () => {
    writeFileSync(join(folder, 'renewed'), 'of yesterday')
    const engine = await engineFrom(kubeconfig('with-renewed', { tokenFile: 'renewed' }))
    await expect(engine.store.list(Namespace)).rejects.toMatchObject({ reason: 'Unauthorized' })
    writeFileSync(join(folder, 'renewed'), real.server.adminToken)
    expect((await engine.store.list(Namespace)).items.length).toBeGreaterThan(0)
    await engine.close()
  })

  test('somebody without a role is forbidden, and is told what', async () => {
    expect(await listAs(real.server.userKubeconfig)).toMatchObject({
      reason: 'Forbidden',
      message: expect.stringContaining('User "token-user" cannot list resource "namespaces"') as string,
    })
  })

  test('a wrong token names the file, the user and the context', async () => {
    const file = kubeconfig('wrong', { token: 'wrong' })
    expect(await listAs(file)).toMatchObject({
      reason: 'Unauthorized',
      message: `${real.server.url} does not accept the credentials of ${file}, user "u" (context "c")`,
    })
  })

  test('a server whose certificate is signed by somebody else gets nothing', async () => {
    const { 'client-certificate-data': other } = readUser(real.server.kubeconfig)
    const certificate = Buffer.from(other, 'base64').toString()
    expect(await listAs(kubeconfig('foreign', { token: real.server.adminToken }, certificate))).toMatchObject({
      reason: 'ServiceUnavailable',
      details: { sent: false },
    })
  })

  test('CRDs are installed once, brought up to date, and never taken back', async () => {
    const { store } = real.engine
    const install = (version: string) => installCrds({ store, kinds: [Nest], version, clock: realClock() })
    const name = 'nests.demo.aviary.dev'
    expect(await install('0.0.0')).toEqual([{ name, outcome: 'unchanged' }])
    const there = await store.get(CustomResourceDefinition, { name })
    const metadata = { ...there.metadata, annotations: { 'aviary.dev/version': '0.0.0', 'aviary.dev/crd-hash': 'older' } }
    await store.update(CustomResourceDefinition, { ...there, metadata })
    expect(await install('0.1.0')).toEqual([{ name, outcome: 'updated' }])
    const newer = await store.get(CustomResourceDefinition, { name })
    const marked = { ...newer.metadata, annotations: { 'aviary.dev/version': '9.0.0', 'aviary.dev/crd-hash': 'newer' } }
    await store.update(CustomResourceDefinition, { ...newer, metadata: marked })
    await expect(install('0.1.0')).rejects.toMatchObject({ code: 'CRDS_REFUSED' })
  })
})

function readUser(file: string): { readonly 'client-certificate-data': string } {
  const { users } = JSON.parse(readFileSync(file, 'utf8')) as { users: [{ user: { 'client-certificate-data': string } }] }
  return users[0].user
}
