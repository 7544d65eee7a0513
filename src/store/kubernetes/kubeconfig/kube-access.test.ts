import { describe, expect, test } from 'vitest'
import { memoryFiles, VirtualClock } from '../../../ports/index.ts'
import type { ProcessRequest, ProcessResult, Processes } from '../../../ports/index.ts'
import { kubeAccess } from './kube-access.ts'
import type { KubeAccessOptions } from './kube-access.ts'

const pem = (name: string) => `-----BEGIN ${name}-----\nabc\n-----END ${name}-----\n`
const base64 = (text: string) => Buffer.from(text).toString('base64')

interface Config {
  readonly cluster?: object
  readonly user?: object | null
  readonly more?: object
}

/** A kubeconfig with one context, in JSON, which is YAML too. */
function config({ cluster = {}, user = {}, more = {} }: Config = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server: 'https://lab:6443', ...cluster } }],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'at-lab', context: { cluster: 'lab', user: 'me', namespace: 'birds' } }],
    'current-context': 'at-lab',
    ...more,
  })
}

/** A machine with some files, a virtual clock and a plugin that gives out what it is told. */
async function machine(content: Record<string, string>) {
  const clock = new VirtualClock({ start: Date.UTC(2026, 0, 1) })
  const files = memoryFiles()
  for (const [path, text] of Object.entries(content)) await files.write(path, text)
  const runs: ProcessRequest[] = []
  let result: (run: number) => Partial<ProcessResult> = () => ({})
  const processes: Processes = {
    run: async request => {
      runs.push(request)
      return { code: 0, signal: undefined, stdout: '', stderr: '', ...result(runs.length) }
    },
  }
  const access = (options: Partial<KubeAccessOptions> = {}) =>
    kubeAccess({ files, processes, environment: { HOME: '/home/me' }, clock, ...options })
  return { clock, files, runs, access, plugin: (given: typeof result) => (result = given) }
}

async function authorization(access: Awaited<ReturnType<typeof kubeAccess>>) {
  return Object.fromEntries(
    Object.entries(await access.credentials.headers()).map(([name, value]) => [name, typeof value === 'string' ? value : value.reveal()]),
  )
}

describe('where the way to the API server is found', () => {
  test('in the file that is named', async () => {
    const { access } = await machine({ '/x/config': config({ user: { token: 't' } }) })
    const found = await access({ file: '/x/config' })
    expect(found).toMatchObject({ server: 'https://lab:6443', namespace: 'birds' })
    expect(found.credentials.origin).toBe('/x/config, user "me" (context "at-lab")')
  })

  test('else in KUBECONFIG, whose files are one: the first that says something wins', async () => {
    const first = JSON.stringify({ 'current-context': 'b', users: [{ name: 'me', user: { token: 'first' } }] })
    const second = config({
      user: { token: 'second' },
      more: { contexts: [{ name: 'b', context: { cluster: 'lab', user: 'me' } }], 'current-context': 'c' },
    })
    const { access } = await machine({ '/a/one': first, '/b/two': second, '/home/me/.kube/config': config() })
    const found = await access({ environment: { HOME: '/home/me', KUBECONFIG: '/a/one:/missing::/b/two' } })
    expect(await authorization(found)).toEqual({ authorization: 'Bearer first' })
    expect(found.namespace).toBeUndefined()
  })

  const pod = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443', HOME: '/home/me' }
  const account = '/var/run/secrets/kubernetes.io/serviceaccount'
  const inPod = { [`${account}/token`]: 'pod\n', [`${account}/ca.crt`]: pem('CERTIFICATE'), [`${account}/namespace`]: 'mine' }

  test('else in the pod, and its token and CA are read again', async () => {
    const { access, files, clock } = await machine({ ...inPod, '/home/me/.kube/config': config() })
    const found = await access({ environment: pod })
    expect(found).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'mine' })
    expect(await authorization(found)).toEqual({ authorization: 'Bearer pod' })
    const trust = await found.trust()
    expect(trust).toEqual({ ca: pem('CERTIFICATE') })
    await files.write(`${account}/token`, 'renewed')
    await files.write(`${account}/ca.crt`, pem('NEW'))
    expect(await authorization(found)).toEqual({ authorization: 'Bearer pod' })
    expect(await found.trust()).toBe(trust)
    await clock.advance(60_000)
    expect(await authorization(found)).toEqual({ authorization: 'Bearer renewed' })
    expect(await found.trust()).toEqual({ ca: pem('NEW') })
  })

  test('else in the home folder', async () => {
    const { access } = await machine({ '/home/me/.kube/config': config() })
    expect(await access()).toMatchObject({ server: 'https://lab:6443' })
    expect(await access({ environment: { ...pod, KUBERNETES_SERVICE_HOST: '' } })).toMatchObject({ server: 'https://lab:6443' })
  })

  test('nowhere: it says where it looked', async () => {
    const { access } = await machine({})
    await expect(access()).rejects.toMatchObject({
      code: 'KUBECONFIG_NOT_FOUND',
      message: 'found no kubeconfig; looked at /home/me/.kube/config',
    })
    await expect(access({ environment: {} })).rejects.toMatchObject({ code: 'KUBECONFIG_NOT_FOUND' })
    await expect(access({ file: '/x' })).rejects.toMatchObject({ message: expect.stringContaining('/x') as string })
  })
})

describe('what is wrong is told with file, place and fix', () => {
  test.each([
    ['a: [1', expect.stringMatching(/^\/c:\d+: /), undefined],
    ['just text', '/c: this is no kubeconfig', expect.stringContaining('--kubeconfig FILE')],
    [
      JSON.stringify({ clusters: [{ name: 'lab', cluster: { server: 'lab:6443' } }] }),
      '/c: clusters[0].cluster.server: must begin with https:// or http://',
      undefined,
    ],
    [JSON.stringify({ users: [{ name: 'me', user: { token: 5 } }] }), expect.stringMatching(/^\/c: users\[0\]\.user\.token: /), undefined],
    ['{}', '/c: no current-context is set', 'add one with kubectl config set-context'],
    [config({ more: { 'current-context': 'x' } }), '/c: there is no context "x"', 'choose one of at-lab with --context'],
    [config({ more: { clusters: [] } }), '/c, context "at-lab": there is no cluster "lab"', expect.anything()],
    [config({ more: { users: [] } }), '/c, context "at-lab": there is no user "me"', expect.anything()],
    [
      config({ cluster: { 'insecure-skip-tls-verify': true } }),
      expect.stringMatching(/^\/c, cluster "lab": insecure-skip-tls-verify/),
      expect.stringContaining('certificate-authority'),
    ],
    [config({ cluster: { 'proxy-url': 'http://p' } }), '/c, cluster "lab": proxy-url is not supported', expect.anything()],
    [
      config({ user: { 'auth-provider': { name: 'gcp' } } }),
      expect.stringMatching(/^\/c, user "me": auth-provider "gcp"/),
      expect.stringContaining('exec'),
    ],
    [config({ user: { 'as-groups': ['a', 'b'] } }), '/c, user "me": as-groups has 2 values, one is supported', expect.anything()],
    [
      config({ user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } } }),
      expect.stringMatching(/^\/c, user "me": exec.apiVersion client.authentication.k8s.io\/v1alpha1/),
      expect.anything(),
    ],
    [
      config({ user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Always' } } }),
      expect.stringMatching(/^\/c, user "me": x wants to ask questions/),
      expect.anything(),
    ],
    [
      config({ cluster: { 'certificate-authority-data': base64('no') } }),
      '/c, cluster "lab": certificate-authority-data holds no PEM text (-----BEGIN …)',
      expect.anything(),
    ],
  ])('%s', async (text, expected, fix) => {
    const { access } = await machine({ '/c': text })
    const error = await access({ file: '/c' }).catch((reason: unknown) => reason as { message: string; fix: string })
    expect(error).toMatchObject({ message: expected as string, ...(fix === undefined ? {} : { fix }) })
  })

  test('a context that is asked for is used or missed', async () => {
    const { access } = await machine({ '/c': config() })
    expect(await access({ file: '/c', context: 'at-lab' })).toMatchObject({ server: 'https://lab:6443' })
    await expect(access({ file: '/c', context: 'other' })).rejects.toMatchObject({ message: '/c: there is no context "other"' })
  })

  test('an error never holds a secret', async () => {
    const { access } = await machine({ '/c': config({ user: { token: 'very-secret', 'auth-provider': { name: 'x' } } }) })
    const error = await access({ file: '/c' }).catch((reason: unknown) => reason)
    expect(JSON.stringify(error) + String(error)).not.toContain('very-secret')
  })
})

describe('trust', () => {
  test('comes from data before files, and paths count from the file that names them', async () => {
    const cluster = { 'certificate-authority': 'ca.pem', 'tls-server-name': 'inside' }
    const user = { 'client-certificate': '../me.pem', 'client-key': '/keys/me.key', 'client-certificate-data': base64(pem('DATA')) }
    const { access } = await machine({ '/x/y/c': config({ cluster, user }), '/x/y/ca.pem': pem('CA'), '/keys/me.key': pem('KEY') })
    const { ca, certificate, key, serverName } = await (await access({ file: '/x/y/c' })).trust()
    expect({ ca, certificate, key: key?.reveal(), serverName }).toEqual({
      ca: pem('CA'),
      certificate: pem('DATA'),
      key: pem('KEY'),
      serverName: 'inside',
    })
  })

  test('names the file that is missing or holds something else', async () => {
    const { access, files } = await machine({ '/c': config({ cluster: { 'certificate-authority': 'ca.pem' } }) })
    const found = await access({ file: '/c' })
    await expect(found.trust()).rejects.toMatchObject({ code: 'FILE_NOT_FOUND', message: 'there is no file /ca.pem' })
    await files.write('/ca.pem', 'no')
    await expect(found.trust()).rejects.toMatchObject({
      message: '/c, cluster "lab": certificate-authority holds no PEM text (-----BEGIN …)',
    })
  })
})

describe('who we are', () => {
  test.each([
    [{}, {}],
    [null, {}],
    [{ token: 't' }, { authorization: 'Bearer t' }],
    [{ username: 'u', password: 'p' }, { authorization: `Basic ${base64('u:p')}` }],
    [
      { token: 't', as: 'other', 'as-uid': '7', 'as-groups': ['g'], 'as-user-extra': { 'Example.org/x': ['y'] } },
      {
        authorization: 'Bearer t',
        'impersonate-user': 'other',
        'impersonate-uid': '7',
        'impersonate-group': 'g',
        'impersonate-extra-example.org%2Fx': 'y',
      },
    ],
  ])('%o', async (user, headers) => {
    const { access } = await machine({ '/c': config({ user }) })
    const found = await access({ file: '/c' })
    expect(await authorization(found)).toEqual(headers)
    expect(found.credentials.refused(await found.credentials.headers())).toBe(false)
  })

  test('a context without a user is anonymous', async () => {
    const { access } = await machine({ '/c': config({ more: { contexts: [{ name: 'at-lab', context: { cluster: 'lab' } }] } }) })
    expect(await authorization(await access({ file: '/c' }))).toEqual({})
  })

  test('a token file wins over a token, and is read again after a while or when it was refused', async () => {
    const { access, files, clock } = await machine({ '/x/c': config({ user: { token: 't', tokenFile: 'token' } }), '/x/token': 'one\n' })
    const { credentials } = await access({ file: '/x/c' })
    const first = await credentials.headers()
    expect(await credentials.headers()).toBe(first)
    await files.write('/x/token', 'two')
    expect(await credentials.headers()).toBe(first)
    expect(credentials.refused(first)).toBe(true)
    const second = await credentials.headers()
    expect(second['authorization']).not.toBe(first['authorization'])
    await files.write('/x/token', 'three')
    // A late refusal of the old token says nothing about the new one.
    credentials.refused(first)
    expect(await credentials.headers()).toBe(second)
    await clock.advance(60_000)
    expect(await credentials.headers()).not.toBe(second)
    await files.write('/x/token', ' ')
    await clock.advance(60_000)
    await expect(credentials.headers()).rejects.toMatchObject({ message: '/x/c, user "me": the token file is empty' })
  })

  test.each([
    ['http://lab:8080', false],
    ['http://127.0.0.1:8080', true],
    ['http://localhost', true],
    ['http://[::1]:1', true],
    ['http://127.0.0.1.evil.example', false],
  ])('credentials do not travel in the clear: %s', async (server, allowed) => {
    const { access } = await machine({ '/c': config({ cluster: { server }, user: { token: 't' } }) })
    const headers = (await access({ file: '/c' })).credentials.headers()
    const outcome = await headers.then(
      given => Object.keys(given),
      (error: { code: string }) => error.code,
    )
    expect(outcome).toEqual(allowed ? ['authorization'] : 'KUBECONFIG_NOT_SUPPORTED')
  })
})

describe('a credential plugin', () => {
  const apiVersion = 'client.authentication.k8s.io/v1'
  const exec = {
    apiVersion,
    command: './bin/login',
    args: ['--quiet'],
    env: [{ name: 'REGION', value: 'eu' }],
    interactiveMode: 'IfAvailable',
    installHint: 'install it from x',
  }
  const gives = (status: object, version = apiVersion) => ({
    stdout: JSON.stringify({ apiVersion: version, kind: 'ExecCredential', status }),
  })
  const withPlugin = async (more: object = {}, cluster: object = {}) => {
    const made = await machine({ '/x/c': config({ user: { exec: { ...exec, ...more } }, cluster }) })
    return { ...made, found: await made.access({ file: '/x/c', environment: { HOME: '/home/me', PATH: '/bin', REGION: 'us' } }) }
  }

  test('runs when its credential is needed, with the environment of this program and its own', async () => {
    const { found, runs, plugin } = await withPlugin()
    plugin(() => gives({ token: 't' }))
    expect(runs).toEqual([])
    expect(await authorization(found)).toEqual({ authorization: 'Bearer t' })
    expect(runs[0]).toMatchObject({
      command: '/x/bin/login',
      args: ['--quiet'],
      environment: { HOME: '/home/me', PATH: '/bin', REGION: 'eu' },
    })
    expect(JSON.parse(String(runs[0]?.environment?.['KUBERNETES_EXEC_INFO']))).toEqual({
      apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false },
    })
  })

  test('is told of the cluster if it asks', async () => {
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }]
    const { found, runs, plugin } = await withPlugin({ provideClusterInfo: true }, { extensions, 'tls-server-name': 'inside' })
    plugin(() => gives({ token: 't' }))
    await authorization(found)
    expect(JSON.parse(String(runs[0]?.environment?.['KUBERNETES_EXEC_INFO']))).toMatchObject({
      spec: { cluster: { server: 'https://lab:6443', 'tls-server-name': 'inside', config: { audience: 'a' } } },
    })
  })

  test('runs once for many, again when the credential expires, and again when it is refused', async () => {
    const { found, runs, plugin, clock } = await withPlugin()
    plugin(run => gives({ token: `t${run}`, expirationTimestamp: run === 1 ? '2026-01-01T00:10:00Z' : undefined }))
    const [first] = await Promise.all([found.credentials.headers(), found.credentials.headers(), found.trust()])
    expect(runs.length).toBe(1)
    await clock.advance(9 * 60_000)
    expect(await found.credentials.headers()).toBe(first)
    await clock.advance(60_000)
    const renewed = await Promise.all([found.credentials.headers(), found.credentials.headers()])
    expect(runs.length).toBe(2)
    expect(renewed[0]).toBe(renewed[1])
    await clock.advance(1_000_000)
    await found.credentials.headers()
    expect(runs.length).toBe(2)
    found.credentials.refused(renewed[0])
    found.credentials.refused(renewed[0])
    expect(await authorization(found)).toEqual({ authorization: 'Bearer t3' })
    found.credentials.refused(renewed[0])
    expect(await authorization(found)).toEqual({ authorization: 'Bearer t3' })
  })

  test('may give a certificate instead of a token', async () => {
    const { found, plugin } = await withPlugin()
    plugin(() => gives({ clientCertificateData: pem('CERT'), clientKeyData: pem('KEY') }))
    const { certificate, key } = await found.trust()
    expect([certificate, key?.reveal()]).toEqual([pem('CERT'), pem('KEY')])
    expect(await authorization(found)).toEqual({})
  })

  test.each([
    [{ code: 3, stderr: 'noise\nnot logged in\n', stdout: 'secret' }, 'exit code 3: not logged in'],
    [{ stdout: 'hello' }, 'it did not print an ExecCredential'],
    [gives({}), 'it gave neither a token nor a certificate with its key'],
    [gives({ clientCertificateData: 'x' }), 'it gave neither a token nor a certificate with its key'],
    [
      gives({ token: 't' }, 'client.authentication.k8s.io/v1beta1'),
      'it speaks client.authentication.k8s.io/v1beta1, the kubeconfig says client.authentication.k8s.io/v1',
    ],
    [gives({ token: 't', expirationTimestamp: 'soon' }), 'its expirationTimestamp is no time'],
  ])('that fails is named, with why and how to get it: %o', async (result, why) => {
    const { found, plugin, runs } = await withPlugin()
    plugin(() => result)
    await expect(found.credentials.headers()).rejects.toMatchObject({
      code: 'KUBECONFIG_CREDENTIAL_PLUGIN_FAILED',
      message: `/x/c, user "me": the credential plugin ./bin/login failed: ${why}`,
      fix: 'install it from x',
    })
    plugin(() => gives({ token: 'later' }))
    expect(await authorization(found)).toEqual({ authorization: 'Bearer later' })
    expect(runs.length).toBe(2)
  })
})
