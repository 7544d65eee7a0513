import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { TrustNotValid, Unreachable } from './errors.ts'
import { httpClient } from './http-transport.ts'
import type { TlsTrust } from './http.ts'
import { realClock } from './clock.ts'
import { Secret } from './secret.ts'
import { type TestAuthority, type TestCertificate, testAuthority } from './testing/certificates.ts'
import { moduleText } from './testing/module-text.ts'
import { type TestServer, httpServer, httpsServer } from './testing/server.ts'

const clock = realClock()
let authority: TestAuthority
let stranger: TestAuthority
let leaf: TestCertificate
let server: TestServer
let requests = 0

beforeAll(async () => {
  authority = await testAuthority('the right one')
  stranger = await testAuthority('a stranger')
  leaf = await authority.issue({ names: ['vcenter.example'] })
  server = await httpsServer({ cert: leaf.certificate, key: leaf.key }, (request, response) => {
    requests++
    response.end((request.socket as TLSSocket).servername || 'no name')
  })
})
afterAll(() => server[Symbol.asyncDispose]())

/** Sends one request, to our server if none is named. */
async function ask(trust: TlsTrust, port = server.port): Promise<string> {
  const client = httpClient({ clock, trust })
  onTestFinished(() => client.close())
  return (await client.send({ method: 'GET', url: `https://127.0.0.1:${port}/`, timeout: 15_000 })).text()
}

/** Checks that a server is not believed, and that it got no request. */
async function expectRefused(trust: TlsTrust, message: string, port?: number): Promise<void> {
  const before = requests
  const error = await ask(trust, port).then(
    () => expect.unreachable('it was believed'),
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: Unreachable.code, details: { sent: false }, message: expect.stringContaining(message) })
  expect(requests).toBe(before)
}

describe('a certificate authority', () => {
  test('vouches for its servers', async () => {
    expect(await ask({ ca: authority.certificate })).toBe('no name')
  })

  test('may stand among others, and among comments', async () => {
    expect(await ask({ ca: `# ours\n${stranger.certificate}\n${authority.certificate}\n` })).toBe('no name')
  })

  test('does not vouch for others, and the error says what to do', async () => {
    await expectRefused({ ca: stranger.certificate }, 'its certificate is not trusted')
    await expect(ask({ ca: stranger.certificate })).rejects.toMatchObject({ fix: expect.stringContaining('thumbprint') })
  })

  test('is not trusted unless it is named', async () => {
    await expectRefused({}, 'its certificate is not trusted')
  })

  test('does not vouch for an expired certificate', async () => {
    const old = await authority.issue({ expired: true })
    await using expired = await httpsServer({ cert: old.certificate, key: old.key }, () => requests++)
    await expectRefused({ ca: authority.certificate }, 'expired', expired.port)
  })

  test('does not vouch for another address', async () => {
    const other = await authority.issue({ addresses: ['192.0.2.7'] })
    await using elsewhere = await httpsServer({ cert: other.certificate, key: other.key }, () => requests++)
    await expectRefused({ ca: authority.certificate }, "does not match certificate's altnames", elsewhere.port)
  })
})

describe('a server name', () => {
  test('is asked for and expected in place of the host', async () => {
    expect(await ask({ ca: authority.certificate, serverName: 'vcenter.example' })).toBe('vcenter.example')
  })

  test('that the certificate does not have is refused', async () => {
    await expectRefused({ ca: authority.certificate, serverName: 'other.example' }, 'other.example')
  })
})

describe('a thumbprint', () => {
  test('is enough, whoever signed the certificate and however it is written', async () => {
    expect(await ask({ thumbprint: leaf.thumbprint })).toBe('no name')
    expect(await ask({ thumbprint: leaf.thumbprint.replaceAll(':', '').toLowerCase() })).toBe('no name')
    expect(await ask({ thumbprint: leaf.thumbprint, serverName: 'any.example' })).toBe('any.example')
  })

  test('is enough for a certificate that has expired', async () => {
    const old = await authority.issue({ expired: true })
    await using expired = await httpsServer({ cert: old.certificate, key: old.key }, (_request, response) => response.end('old but known'))
    expect(await ask({ thumbprint: old.thumbprint }, expired.port)).toBe('old but known')
  })

  test('that differs is refused before anything is sent, and the error shows both', async () => {
    const other = await authority.issue()
    await expectRefused({ thumbprint: other.thumbprint }, `${leaf.thumbprint}, expected is ${other.thumbprint}`)
  })

  test('is checked on every connection', async () => {
    const other = await authority.issue()
    const client = httpClient({ clock, trust: { thumbprint: leaf.thumbprint } })
    onTestFinished(() => client.close())
    const send = (port: number) => client.send({ method: 'GET', url: `https://127.0.0.1:${port}/`, timeout: 15_000 })
    expect((await send(server.port)).text()).toBe('no name')
    await using changed = await httpsServer({ cert: other.certificate, key: other.key }, () => expect.unreachable())
    await expect(send(changed.port)).rejects.toMatchObject({ code: Unreachable.code, message: expect.stringContaining(other.thumbprint) })
  })
})

describe('a client that is told to believe whoever answers', () => {
  test('believes a certificate that nobody vouches for, that has expired, and that is another’s', async () => {
    expect(await ask({ insecure: true })).toBe('no name')
    const bad = await stranger.issue({ expired: true, addresses: ['192.0.2.7'] })
    await using other = await httpsServer({ cert: bad.certificate, key: bad.key }, (_request, response) => response.end('whoever'))
    expect(await ask({ insecure: true }, other.port)).toBe('whoever')
  })

  test('is alone in it: another client of the same program asks for proof', async () => {
    expect(await ask({ insecure: true })).toBe('no name')
    await expectRefused({}, 'its certificate is not trusted')
    await expectRefused({ ca: stranger.certificate }, 'its certificate is not trusted')
  })
})

describe('a client’s own certificate', () => {
  const demanding = () =>
    httpsServer(
      { cert: leaf.certificate, key: leaf.key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true },
      (request, response) => response.end((request.socket as TLSSocket).getPeerCertificate().subject.CN),
    )

  test('is shown to a server that asks for it', async () => {
    const own = await authority.issue()
    await using strict = await demanding()
    const pair = { certificate: own.certificate, key: new Secret(own.key) }
    expect(await ask({ ca: authority.certificate, ...pair }, strict.port)).toBe('a leaf')
    expect(await ask({ thumbprint: leaf.thumbprint, ...pair }, strict.port)).toBe('a leaf')
  })

  test('that is missing is the server’s reason to refuse', async () => {
    await using strict = await demanding()
    await expect(ask({ ca: authority.certificate }, strict.port)).rejects.toMatchObject({ code: Unreachable.code })
  })
})

test('a server that does not speak TLS is told apart', async () => {
  await using plain = await httpServer(() => {})
  await expectRefused({ ca: authority.certificate }, 'TLS', plain.port)
})

describe('trust that cannot work is refused when the client is made', () => {
  test.each<readonly [string, () => TlsTrust, string]>([
    ['no certificate in ca', () => ({ ca: 'nothing' }), 'ca cannot be used to make sure of a server: it holds no certificate'],
    ['a broken certificate in ca', () => ({ ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }), 'cannot be read'],
    ['a thumbprint that is too short', () => ({ thumbprint: 'ab:cd' }), '64 hexadecimal digits'],
    ['a SHA-1 thumbprint', () => ({ thumbprint: 'ab'.repeat(20) }), 'SHA-1'],
    ['both ca and thumbprint', () => ({ ca: authority.certificate, thumbprint: leaf.thumbprint }), 'stands beside ca'],
    ['both insecure and ca', () => ({ insecure: true, ca: authority.certificate }), 'stands beside ca or thumbprint'],
    ['both insecure and thumbprint', () => ({ insecure: true, thumbprint: leaf.thumbprint }), 'stands beside ca or thumbprint'],
    ['a certificate without key', () => ({ certificate: leaf.certificate }), 'key cannot be used'],
    ['a key without certificate', () => ({ key: new Secret(leaf.key) }), 'certificate cannot be used'],
    ['a key of another certificate', () => ({ certificate: authority.certificate, key: new Secret(leaf.key) }), 'does not fit certificate'],
    ['a key that is none', () => ({ certificate: leaf.certificate, key: new Secret('hidden') }), 'does not fit certificate'],
  ])('%s', (_case, trust, message) => {
    let error: unknown
    try {
      httpClient({ clock, trust: trust() })
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: TrustNotValid.code, message: expect.stringContaining(message), fix: expect.any(String) })
    expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/hidden|PRIVATE/)
  })
})

describe('the authorities of the machine', () => {
  /** Asks our server from a process with this environment, and prints the answer or the error's code. */
  async function askFrom(environment: Record<string, string>): Promise<string> {
    const script = `
      import { httpClient } from ${moduleText('http-transport.ts')}
      import { realClock } from ${moduleText('clock.ts')}
      const client = httpClient({ clock: realClock() })
      const answer = client.send({ method: 'GET', url: 'https://127.0.0.1:${server.port}/' })
      console.log(await answer.then(({ status }) => String(status), error => error.cause?.code ?? error.message))
      await client.close()
    `
    const { SSL_CERT_FILE: _file, SSL_CERT_DIR: _folder, NODE_EXTRA_CA_CERTS: _extra, ...rest } = process.env
    return await new Promise((resolve, reject) => {
      const options = { env: { ...rest, ...environment }, timeout: 15_000 }
      execFile(process.execPath, ['--input-type=module', '-e', script], options, (error, stdout) =>
        error ? reject(error) : resolve(stdout.trim()),
      )
    })
  }

  let folder: string
  let file: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'aviary-tls-'))
    file = join(folder, 'ca.pem')
    writeFileSync(file, authority.certificate)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('do not include ours by themselves', async () => expect(await askFrom({})).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE'))
  test('include those of NODE_EXTRA_CA_CERTS', async () => expect(await askFrom({ NODE_EXTRA_CA_CERTS: file })).toBe('200'))
  test('are those of SSL_CERT_FILE', async () => expect(await askFrom({ SSL_CERT_FILE: file })).toBe('200'))
  test('are switched off by nothing', async () =>
    expect(await askFrom({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE'))
})
