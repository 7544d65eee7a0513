import { describe, expect, test } from 'vitest'
import { memoryFiles, prometheusMetrics, realChance, Secret, silentLog, simulatedHttp, VirtualClock } from '../ports/index.ts'
import type { ProcessRequest, TlsTrust } from '../ports/index.ts'
import { installerSchema } from './config/pools-section.ts'
import { poolInstaller } from './pool-installer.ts'
import type { Ports } from './ports.ts'

const cluster = {
  key: 'a-1/a-1',
  clusterName: 'a',
  baseDomain: 'example.com',
  infraID: 'a-xyz',
  clusterID: 'id',
  platform: 'none',
  credentials: {},
  environment: {},
  startedAt: 0,
}
const { signal } = new AbortController()

function outside() {
  const clock = new VirtualClock()
  const runs: ProcessRequest[] = []
  const trusts: TlsTrust[] = []
  const authorizations: (string | undefined)[] = []
  const handler = async ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => {
    authorizations.push(headers['authorization'])
    return { status: 200, headers: {}, body: '{"state":"removed"}' }
  }
  const ports: Ports = {
    clock,
    chance: realChance(),
    files: memoryFiles(),
    log: silentLog,
    metrics: prometheusMetrics(),
    environment: { PATH: '/bin', HOME: '/home/a', AVIARY_TOKEN: 'hidden', REGION: 'here' },
    processes: {
      run: async (request: ProcessRequest) => {
        runs.push(request)
        return { code: 0, stdout: '', stderr: '' }
      },
    } as unknown as Ports['processes'],
    webSockets: () => ({ connect: () => Promise.reject(new Error('nobody connects')) }),
    http: trust => {
      trusts.push(trust)
      return simulatedHttp(handler, { clock })
    },
    resolve: async () => [],
  }
  return { ports, runs, trusts, authorizations }
}

const settings = (installer: object) => ({ pools: { checkDns: false, installer: installerSchema.parse({ kind: 'hook', ...installer }) } })

describe('a command that makes clusters', () => {
  test.each<[string, object, Readonly<Record<string, string>>]>([
    ['the usual variables', {}, { PATH: '/bin', HOME: '/home/a' }],
    ['those that are named', { environment: ['PATH', 'REGION'] }, { PATH: '/bin', REGION: 'here' }],
    ['none', { environment: [] }, {}],
  ])('gets of this program’s environment %s, and never the rest', async (_, more, expected) => {
    const { ports, runs } = outside()
    const installer = await poolInstaller(settings({ command: ['/opt/install'], ...more }), ports)
    await installer.destroy(cluster, signal)
    const { CLUSTER_NAME, BASE_DOMAIN, INFRA_ID, CLUSTER_ID, ...rest } = runs[0]?.environment ?? {}
    expect(rest).toEqual(expected)
    expect([CLUSTER_NAME, BASE_DOMAIN, INFRA_ID, CLUSTER_ID]).toEqual(['a', 'example.com', 'a-xyz', 'id'])
  })
})

describe('an endpoint that makes clusters', () => {
  test('is trusted by the authority that the configuration names, and told the token', async () => {
    const { ports, trusts, authorizations } = outside()
    await ports.files.write('/etc/ca.pem', 'the authority')
    const loaded = settings({ url: 'https://hook.example.com' })
    const secrets = { ca: '/etc/ca.pem', token: new Secret('sesame') }
    const installer = await poolInstaller({ pools: { ...loaded.pools, installer: { ...loaded.pools.installer, ...secrets } } }, ports)
    expect(await installer.destroy(cluster, signal)).toEqual({ state: 'removed' })
    expect(trusts).toEqual([{ ca: 'the authority' }])
    expect(authorizations).toEqual(['Bearer sesame'])
  })

  test.each(['http://hook.example.com', 'https://user:secret@hook.example.com', 'ftp://x'])('is not %s', url => {
    expect(() => settings({ url })).toThrow('must be a URL that begins with https://')
  })
})
