import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allKinds, ClusterClaim, ClusterDeployment, ClusterImageSet, ClusterPool, Namespace, Secret } from '../../../src/kinds/index.ts'
import { startControllers } from '../../../src/control/index.ts'
import type { RunningControllers } from '../../../src/control/index.ts'
import { clusterPools, commandHook } from '../../../src/pools/index.ts'
import { prometheusMetrics, realChance, realClock, realProcesses, silentLog } from '../../../src/ports/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { usePeer } from '../peer.ts'

// The hook that ships as an example makes real control planes: a claim ends in a kubeconfig that kubectl can use.

const clock = realClock()
const namespace = 'team'
const store = memoryStore({ kinds: allKinds, clock, chance: realChance() })
let folder: string
let running: RunningControllers
/** Apart from what kubectl keeps in its home. */
const clusters = () => join(folder, 'clusters')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aviary-clusters-'))
  const metrics = prometheusMetrics()
  const installer = commandHook({
    command: [process.execPath, fileURLToPath(new URL('../../../docs/examples/control-plane-hook.mjs', import.meta.url))],
    processes: realProcesses(clock),
    clock,
    timeout: 240_000,
    canHibernate: true,
    environment: { ETCD: await usePeer('etcd'), KUBE_APISERVER: await usePeer('kube-apiserver'), CLUSTERS: clusters() },
  })
  const controllers = clusterPools({ metrics, installer, grants: true })
  running = startControllers({ store, clock, chance: realChance(), log: silentLog, metrics, controllers })
  await store.create(Namespace, { metadata: { name: namespace } })
  await store.create(ClusterImageSet, { metadata: { name: 'release' }, spec: { releaseImage: 'x:1' } })
}, 60_000)
afterAll(async () => {
  // What a test that failed has left: everything here was made by this test.
  for (const { object } of (await store.list(ClusterDeployment)).items)
    await store.delete(ClusterDeployment, { namespace: object.metadata.namespace ?? '', name: object.metadata.name }).catch(() => {})
  const left = () => readdir(clusters()).catch(() => [])
  for (let second = 0; second < 30 && (await left()).length > 0; second++) await sleep(1_000)
  await running.stop({ within: 5_000 })
  await rm(folder, { recursive: true, force: true })
}, 60_000)

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 1_200; attempt++) {
    if (await isSo()) return
    await sleep(200)
  }
  throw new Error(`never came to pass: ${what}`)
}
const claim = () => store.get(ClusterClaim, { namespace, name: 'mine' })
const isRunning = async () => (await claim()).status?.conditions?.find(({ type }) => type === 'ClusterRunning')?.status === 'True'

test('a claim ends in a kubeconfig with which kubectl works, through hibernation, and its end leaves nothing behind', async () => {
  await store.create(ClusterPool, {
    metadata: { name: 'flock', namespace },
    spec: {
      platform: { none: {} },
      baseDomain: 'example.com',
      imageSetRef: { name: 'release' },
      size: 0,
      runningCount: 0,
      installAttemptsLimit: 1,
      inventory: { clusterDeployments: [{ name: 'heron' }] },
    },
  })
  await store.create(ClusterClaim, { metadata: { name: 'mine', namespace }, spec: { clusterPoolName: 'flock' } })
  await until('the claim has a running cluster', isRunning)
  const cluster = (await claim()).spec.namespace!
  const found = await store.get(ClusterDeployment, { namespace: cluster, name: cluster })
  const secret = await store.get(Secret, { namespace: cluster, name: found.spec.clusterMetadata!.adminKubeconfigSecretRef.name })
  const file = join(folder, 'kubeconfig')
  await writeFile(file, Buffer.from(secret.data!['kubeconfig']!, 'base64'), { mode: 0o600 })

  const program = await usePeer('kubectl')
  const kubectl = async (...args: readonly string[]) =>
    (await promisify(execFile)(program, ['--kubeconfig', file, ...args], { env: { HOME: folder } })).stdout
  expect(await kubectl('get', 'namespaces', '-o', 'name')).toContain('namespace/default')
  await kubectl('create', 'configmap', 'egg', '--from-literal=colour=blue')
  expect(found.status?.apiURL).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)

  const power = async (powerState: 'Running' | 'Hibernating') =>
    until(`the cluster is ${powerState}`, async () => {
      const latest = await store.get(ClusterDeployment, { namespace: cluster, name: cluster })
      if (latest.spec.powerState !== powerState)
        await store.update(ClusterDeployment, { ...latest, spec: { ...latest.spec, powerState } }).catch(() => {})
      return latest.status?.powerState === powerState
    })
  await power('Hibernating')
  await expect(kubectl('get', 'configmap', 'egg', '--request-timeout=2s')).rejects.toThrow('Command failed')
  await power('Running')
  expect(await kubectl('get', 'configmap', 'egg', '-o', 'jsonpath={.data.colour}')).toBe('blue')

  await rm(file)
  const made = join(clusters(), found.spec.clusterMetadata!.infraID)
  expect(existsSync(made)).toBe(true)
  await store.delete(ClusterClaim, { namespace, name: 'mine' })
  await until('the claim is gone', () =>
    claim().then(
      () => false,
      () => true,
    ),
  )
  expect(existsSync(made)).toBe(false)
  expect((await store.get(ClusterPool, { namespace, name: 'flock' })).status?.clusterNameUsage).toEqual({ heron: null })
}, 300_000)
