import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { FileNotFound, memoryFiles, Secret } from '../../ports/index.ts'
import { ConfigNotValid } from '../errors.ts'
import { FileSecret } from './file-secret.ts'
import { checkConfig, loadConfig } from './load-config.ts'
import type { ConfigSources } from './load-config.ts'
import { section } from './section.ts'
import { secret } from './setting.ts'

function sources(content: Record<string, string> = {}, more: Partial<ConfigSources> = {}): ConfigSources {
  return { files: memoryFiles(content), environment: {}, folder: '/home/bird', ...more }
}

async function problems(toml: string, more: Partial<ConfigSources> = {}): Promise<readonly string[]> {
  try {
    await loadConfig('/etc/aviary.toml', sources({ '/etc/aviary.toml': toml }, more))
    return []
  } catch (error) {
    if (!ConfigNotValid.is(error)) throw error
    return error.message.split('\n')
  }
}

describe('without a file', () => {
  test('all is default, the demo runs, and the data is in the working folder', async () => {
    const config = await loadConfig(undefined, sources())
    expect(config.demo.enabled).toBe(true)
    expect(config.server).toMatchObject({ listen: { host: '127.0.0.1', port: 7443 }, dataDir: '/home/bird/data' })
    expect(config.engine.leaderElection.leaseDuration).toBe(15_000)
  })

  test('the command line still has its say', async () => {
    const overrides = [{ key: 'server.listen', value: '[::1]:0', from: '--listen' }]
    expect((await loadConfig(undefined, sources({}, { overrides }))).server.listen).toEqual({ host: '::1', port: 0 })
  })
})

describe('a file', () => {
  const toml = `
    [server]
    listen = "0.0.0.0:6443"
    dataDir = "../var"
    stopTimeout = "1m30s"
    [server.tls]
    certificate = "/certs/tls.crt"
    key = { file = "tls.key" }
    [[access.issuers]]
    url = "https://login.example.com"
    audiences = ["aviary"]
    [access.audit]
    maxFileSize = "1MiB"`

  test('gives its values, typed, with paths from its own folder and the demo switched off', async () => {
    const config = await loadConfig('/etc/aviary.toml', sources({ '/etc/aviary.toml': toml, '/etc/tls.key': 'PEM\n' }))
    expect(config.server).toMatchObject({ dataDir: '/var', stopTimeout: 90_000, listen: { host: '0.0.0.0', port: 6443 } })
    expect(config.server.tls.key).toBeInstanceOf(Secret)
    expect(config.server.tls.key?.reveal()).toBe('PEM')
    expect(config.access.issuers[0]).toMatchObject({ userClaim: 'sub', algorithms: ['RS256', 'ES256'] })
    expect(config.access.audit.maxFileSize).toBe(1024 * 1024)
    expect(config.demo.enabled).toBe(false)
  })

  test('gives a configuration that nobody can change', async () => {
    const config = await loadConfig('/etc/aviary.toml', sources({ '/etc/aviary.toml': toml, '/etc/tls.key': 'PEM' }))
    expect(Object.isFrozen(config)).toBe(true)
    expect(Object.isFrozen(config.access.issuers[0]?.audiences)).toBe(true)
  })

  test('has its say on where its own paths start, but not on where those of the command line do', async () => {
    const overrides = [{ key: 'server.dataDir', value: 'here', from: '--data-dir' }]
    const content = { '/etc/aviary.toml': '[engine]\nkubeconfig = "k"' }
    const config = await loadConfig('/etc/aviary.toml', sources(content, { overrides }))
    expect([config.server.dataDir, config.engine.kubeconfig]).toEqual(['/home/bird/here', '/etc/k'])
  })

  test('that is missing is named', async () => {
    await expect(loadConfig('/etc/none.toml', sources())).rejects.toSatisfy(error => FileNotFound.is(error))
  })
})

describe('what is wrong is said with file, line, column and fix', () => {
  test('a key that does not exist', async () => {
    expect(await problems('[server]\n  lisen = "x"')).toEqual([
      '/etc/aviary.toml:2:3: server.lisen: there is no such key; did you mean "listen"?',
    ])
    expect(await problems('[log]\nfancy = 1')).toEqual(['/etc/aviary.toml:2:1: log.fancy: there is no such key; known here: level, format'])
  })

  test('a section that does not exist', async () => {
    expect(await problems('[sever]\nlisten = "x"')).toEqual([
      '/etc/aviary.toml:1:2: sever: there is no such section; did you mean "server"?',
    ])
  })

  test('a key deep inside an array of tables', async () => {
    const toml = '[[access.issuers]]\nurl = "https://a"\naudiences = ["x"]\n[[access.issuers]]\nurl = "ftp://b"\naudience = ["x"]'
    expect(await problems(toml)).toEqual([
      '/etc/aviary.toml:4:3: access.issuers[1].audiences: is missing',
      '/etc/aviary.toml:5:1: access.issuers[1].url: must be a URL that begins with https://',
      '/etc/aviary.toml:6:1: access.issuers[1].audience: there is no such key; did you mean "audiences"?',
    ])
  })

  test.each([
    ['[engine]\nkind = "embeded"', '2:1: engine.kind: must be "embedded" or "kubernetes", not "embeded"; did you mean "embedded"?'],
    ['[engine]\nqps = "many"', '2:1: engine.qps: must be a number, not a string'],
    ['[engine]\nburst = 0', '2:1: engine.burst: must be at least 1'],
    ['server = 5', '1:1: server: must be a table, not a number'],
    [
      '[server]\nlisten = "7443"',
      '2:1: server.listen: must be HOST:PORT with a port up to 65535, such as "127.0.0.1:7443" or "[::1]:7443"',
    ],
    [
      '[server]\nlisten = "h:70000"',
      '2:1: server.listen: must be HOST:PORT with a port up to 65535, such as "127.0.0.1:7443" or "[::1]:7443"',
    ],
    ['[server]\nstopTimeout = "soon"', '2:1: server.stopTimeout: must be a time span such as "90s" or "1h30m"'],
    ['[server]\nstopTimeout = "1h"', '2:1: server.stopTimeout: must be between 1s and 10m'],
    ['[server]\ndataDir = ""', '2:1: server.dataDir: must not be empty'],
    ['[server.tls]\ncertificate = "x"', '1:2: server.tls: needs both `certificate` and `key`, or neither'],
    ['[server.tls]\nkey = 5', '2:1: server.tls.key: must be { file = "PATH" }, { env = "VARIABLE" } or a string'],
    ['[access.audit]\nmaxFileSize = "1GiB"', '2:1: access.audit.maxFileSize: must be at most 256MiB'],
    [
      '[[access.issuers]]\nurl = "https://a"\naudiences = ["x"]\n[[access.issuers]]\nurl = "https://a"\naudiences = ["y"]',
      '1:3: access.issuers: has the same url twice',
    ],
    ['[access.audit]\nmaxFileSize = "2MB"', '2:1: access.audit.maxFileSize: must be a size such as "512KiB" or "20MiB"'],
    ['[access]\nanonymous = ["health", "all"]', '2:24: access.anonymous[1]: must be "health", "version" or "metrics", not "all"'],
    [
      '[engine.leaderElection]\nleaseDuration = "5s"',
      '1:2: engine.leaderElection: needs retryPeriod < renewDeadline < leaseDuration, else two replicas could lead at once',
    ],
    ['[log]\nlevel = 2026-01-01', '2:1: log.level: must be "debug", "info", "warn", "error" or "silent", not a date'],
    ['[[access.issuers]]\nurl = "https://a"\naudiences = []', '3:1: access.issuers[0].audiences: must not be empty'],
    ['[pools.installer]\ninstallSeconds = 5', '1:2: pools.installer.kind: is missing'],
    ['[pools.installer]\nkind = "hook"', '1:2: pools.installer: a hook needs either command or url'],
    ['[pools]\ncheckDns = true', '1:2: pools: needs [pools.installer] with its kind, because only you know what makes your clusters'],
  ])('%j', async (toml, expected) => {
    expect(await problems(toml)).toEqual([`/etc/aviary.toml:${expected}`])
  })

  test('algorithms without a public key cannot be switched on', async () => {
    for (const algorithm of ['none', 'HS256']) {
      const toml = `[[access.issuers]]\nurl = "https://a"\naudiences = ["x"]\nalgorithms = ["${algorithm}"]`
      expect((await problems(toml))[0]).toContain('access.issuers[0].algorithms[0]: must be "RS256"')
    }
  })

  test('text that is no TOML', async () => {
    const [problem] = await problems('[server]\nlisten = = 5')
    expect(problem).toMatch(/^\/etc\/aviary\.toml:2:10: syntax: /)
  })

  test('a prototype is not a key', async () => {
    expect((await problems('[server]\n__proto__ = 5'))[0]).toMatch(/^\/etc\/aviary\.toml:/)
  })

  test('secrets that are not there, all at once', async () => {
    const toml = '[server.tls]\ncertificate = "c"\nkey = { env = "TLS_KEY" }\n[zoo]\nkeeper = { file = "keeper.txt" }'
    const zoo = section({ name: 'zoo', describe: '', schema: z.strictObject({ keeper: secret() }) })
    const server = (await import('./server-section.ts')).serverSection
    expect(await problems(toml, { sections: [server, zoo] })).toEqual([
      '/etc/aviary.toml:3:1: server.tls.key: the environment variable TLS_KEY is not set',
      '/etc/aviary.toml:5:1: zoo.keeper: there is no file /etc/keeper.txt',
    ])
  })

  test('secrets that are not there, also while keys of other sections are wrong', async () => {
    const toml = '[log]\nlevl = "info"\n[zoo]\nkeeper = { env = "KEEPER" }'
    const zoo = section({ name: 'zoo', describe: '', schema: z.strictObject({ keeper: secret() }) })
    const log = (await import('./log-section.ts')).logSection
    expect(await problems(toml, { sections: [log, zoo] })).toEqual([
      expect.stringContaining(':2:1: log.levl: there is no such key'),
      '/etc/aviary.toml:4:1: zoo.keeper: the environment variable KEEPER is not set',
    ])
  })

  test('an option of the command line is named as such', async () => {
    const overrides = [{ key: 'server.listen', value: 'nowhere', from: '--listen' }]
    expect((await problems('[server]\nlisten = "a:1"', { overrides }))[0]).toMatch(/^\/etc\/aviary\.toml: --listen: must be HOST:PORT/)
  })

  test('a check lists the same problems without failing', async () => {
    const found = await checkConfig('/c.toml', sources({ '/c.toml': '[log]\nlevl = "info"' }))
    expect(found).toEqual([
      { key: 'log.levl', message: 'there is no such key', fix: 'did you mean "level"?', position: { line: 2, column: 1 } },
    ])
  })
})

test('a secret comes from a file, the environment or the text itself', async () => {
  const zoo = section({ name: 'zoo', describe: '', schema: z.strictObject({ a: secret(), b: secret(), c: secret() }) })
  const files = { '/c.toml': '[zoo]\na = { file = "key" }\nb = { env = "B" }\nc = "plain"', '/key': 'from file\r\n' }
  const config = await loadConfig('/c.toml', sources(files, { environment: { B: 'from env' }, sections: [zoo] }))
  const secrets = Object.values((config as unknown as { zoo: Record<string, Secret> }).zoo)
  expect(secrets.map(value => value.reveal())).toEqual(['from file', 'from env', 'plain'])
  expect(secrets.map(value => (value instanceof FileSecret ? value.file : undefined))).toEqual(['/key', undefined, undefined])
  expect(JSON.stringify(config)).not.toMatch(/from|plain/)
})
