import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { realFiles } from '../ports/index.ts'
import { loadConfig, startAviary } from '../server/index.ts'
import type { Aviary } from '../server/index.ts'
import { play as playAnywhere } from './testing/played-io.ts'
import type { PlayOptions } from './testing/played-io.ts'

let folder: string
let aviary: Aviary
const play = (line: string, options: PlayOptions = {}) => playAnywhere(line.split(' '), { folder, ...options })

const hive = 'apiVersion: hive.openshift.io/v1\n'
const objects = `${hive}kind: ClusterImageSet
metadata: {name: release}
spec: {releaseImage: "x:1"}
---
apiVersion: hive.openshift.io/v1
kind: ClusterPool
metadata: {name: flock}
spec:
  platform: {none: {}}
  baseDomain: example.com
  imageSetRef: {name: release}
  size: 1
  runningCount: 1
  inventory: {clusterDeployments: [{name: heron}, {name: ibis}]}
`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aviary-pools-'))
  const file = join(folder, 'aviary.toml')
  await writeFile(file, '[pools.installer]\nkind = "simulated"\ninstallSeconds = 0\ndeprovisionSeconds = 0\npowerSeconds = 0\n')
  const overrides = [
    { key: 'server.listen', value: '127.0.0.1:0', from: 'test' },
    { key: 'server.dataDir', value: join(folder, 'data'), from: 'test' },
    { key: 'log.level', value: 'silent', from: 'test' },
  ]
  aviary = await startAviary({ config: await loadConfig(file, { files: realFiles(), environment: {}, overrides }) })
  await play('apply -f -', { input: objects })
})
afterAll(async () => {
  await aviary.stop()
  await rm(folder, { recursive: true })
})

test('a claim that is waited for ends with where the kubeconfig is, and the kubeconfig can be printed', async () => {
  const created = await play('claim create mine --pool flock --wait --timeout 30s')
  expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/has cluster (heron|ibis), which runs at https:\/\/api\./) })
  expect(created.out).toMatch(/kubeconfig: secret (heron|ibis)-\w+-admin-kubeconfig in namespace/)
  expect((await play('claim kubeconfig mine')).out).toContain('kind: Config')
  expect((await play('claim list')).out).toMatch(/mine\s+flock\s+ClusterClaimed/)
  expect((await play('why clusterclaim/mine')).code).toBe(0)
})

test('a claim on a pool that is not there is not made', async () => {
  const { code, err } = await play('claim create lost --pool flok --wait')
  expect(code).toBe(9)
  expect(err).toContain('there is no pool flok in namespace default')
  expect((await play('get clusterclaim lost')).code).toBe(9)
})

test('a pool shows its clusters, and can be scaled', async () => {
  expect((await play('pool list')).out).toMatch(/flock\s+1/)
  expect((await play('pool show flock')).out).toMatch(/^flock: 1 unclaimed clusters wanted, \d there: [^]*(heron|ibis)/)
  expect((await play('cluster list')).out).toContain('CLUSTERNAME')
  expect(await play('pool scale flock 0')).toMatchObject({ code: 0, out: 'flock scaled from 1 to 0\n' })
  expect(await play('pool scale flock many')).toMatchObject({ code: 2 })
})

test('the DNS records that a pool needs are printed', async () => {
  const { out } = await play('pool dns flock')
  for (const host of ['api', 'apps', '*.apps', 'console']) expect(out).toContain(`${host}.heron.example.com`)
})

test('the DNS records that are missing or lead elsewhere are found', async () => {
  const known: Readonly<Record<string, readonly string[]>> = { 'api.heron.example.com': ['10.0.0.1'] }
  const resolve = async (host: string) => (host.startsWith('api.ibis') ? Promise.reject(new Error('no answer')) : (known[host] ?? []))
  const { code, out, err } = await play('pool dns flock --check', { resolve })
  expect(code).toBe(1)
  expect(out).toMatch(/heron\s+api\.heron\.example\.com\s+as you choose\s+ok\n/)
  expect(out).toMatch(/heron\s+\*\.apps\.heron\.example\.com\s+as you choose\s+missing\n/)
  expect(err).toBe('error: 7 of 8 records are missing or wrong\nfix: add them to the zone example.com, then check again\n')
  expect(await play('pool dns flock --check', { resolve: async () => ['10.0.0.1'] })).toMatchObject({ code: 0, err: '' })
  const addresses = objects.replace('[{name: heron}, {name: ibis}]', '[{name: heron, vSphere: {apiVIPs: [10.0.0.9]}}]')
  await play('apply -f -', { input: addresses.replaceAll('flock', 'strict').replaceAll('heron', 'owl').replace('size: 1', 'size: 0') })
  const strict = await play('pool dns strict --check', { resolve: async () => ['10.0.0.1'] })
  expect(strict).toMatchObject({ code: 1, out: expect.stringMatching(/api\.owl\.example\.com\s+10\.0\.0\.9\s+wrong: 10\.0\.0\.1\n/) })
})

test.each([
  ['no inventory', '', 'The pool bare has no inventory: its clusters have generated names.'],
  ['an empty one', '  inventory: {clusterDeployments: []}\n', 'The inventory of pool bare is empty: it has no clusters.'],
  [
    'one without names',
    '  inventory: {clusterDeployments: [{name: a, customizationRef: {name: a}, generateName: true}]}\n',
    'The inventory of pool bare gives no names: its clusters have generated ones.',
  ],
])('a pool with %s needs no DNS records, and is told why', async (_, inventory, why) => {
  const spec = '  platform: {none: {}}\n  baseDomain: example.com\n  imageSetRef: {name: release}\n  size: 0\n'
  await play('apply -f -', { input: `${hive}kind: ClusterPool\nmetadata: {name: bare}\nspec:\n${spec}${inventory}` })
  expect(await play('pool dns bare')).toMatchObject({ code: 0, out: '', err: `${why}\n` })
})

test('pools and claims of all namespaces are shown', async () => {
  expect((await play('pool list -A')).out).toMatch(/^NAMESPACE\s+NAME[^]*default\s+flock\s/)
  expect((await play('claim list -A')).out).toMatch(/^NAMESPACE\s+NAME[^]*default\s+mine\s/)
})

test('a lifetime that is no duration is refused with how to write one, and nothing is made', async () => {
  const { code, err } = await play('claim create short --pool flock --lifetime 4x')
  expect(code).toBe(2)
  expect(err).toContain('"4x" is not a duration\nfix: write numbers with the units')
  expect((await play('get clusterclaim short')).code).toBe(9)
})

function record(kind: string, name: string, uid: string): string {
  const owner = `{apiVersion: hive.openshift.io/v1, kind: ClusterDeployment, name: ${name}, uid: ${uid}}`
  const spec = kind === 'ClusterProvision' ? '{clusterDeploymentRef: {name: other}, attempt: 7, stage: failed}' : '{infraID: earlier}'
  return `apiVersion: hive.openshift.io/v1\nkind: ${kind}\nmetadata: {name: x, namespace: ${name}, ownerReferences: [${owner}]}\nspec: ${spec}\n`
}

test('a claimed cluster is told to hibernate, and its log can be read', async () => {
  const name = JSON.parse((await play('get clusterclaim mine -o json')).out).spec.namespace as string
  expect(await play(`cluster power ${name} off`)).toMatchObject({ code: 0 })
  const { uid } = JSON.parse((await play(`get clusterdeployment ${name} -n ${name} -o json`)).out).metadata as { uid: string }
  // Records of another cluster in that namespace are none of its business; those of its own removal are.
  const records = ['ClusterProvision', 'ClusterDeprovision'].map(kind => record(kind, name, uid))
  expect(await play('apply -f -', { input: records.join('---\n') })).toMatchObject({ code: 0 })
  expect((await play(`cluster log ${name}`)).out).toBe(
    `attempt 1 is complete\nlevel=info msg="Install complete!"\nthe removal of earlier is under way\n`,
  )
  expect(await play(`cluster power ${name} sideways`)).toMatchObject({ code: 2 })
})

test('a claim that is deleted goes when its cluster is gone', async () => {
  expect(await play('claim delete mine --timeout 30s')).toMatchObject({ code: 0 })
  expect((await play('get clusterclaim mine')).code).toBe(9)
})
