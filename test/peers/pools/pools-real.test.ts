import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allKinds, ClusterClaim, ClusterDeployment, ClusterImageSet, ClusterPool, Namespace } from '../../../src/kinds/index.ts'
import { startControllers } from '../../../src/control/index.ts'
import type { RunningControllers } from '../../../src/control/index.ts'
import { clusterPools } from '../../../src/pools/index.ts'
import { prometheusMetrics, realChance, realClock, silentLog } from '../../../src/ports/index.ts'
import { SimulatedInstaller } from '../../../src/simulation/index.ts'
import { installCrds } from '../../../src/store/index.ts'
import { admission, admissionRows } from '../../../src/pools/testing/admission-rows.ts'
import { engineFrom } from '../kubernetes-engine/engine.ts'
import { startKubeApiserver, usePeer, type KubeApiserver } from '../peer.ts'
import { kubectlStory } from './kubectl-story.ts'

// The same controllers, in two replicas without an election, over a real kube-apiserver.

const clock = realClock()
const namespace = 'team'
let server: KubeApiserver
let engine: Awaited<ReturnType<typeof engineFrom>>
let replicas: RunningControllers[] = []

beforeAll(async () => {
  server = await startKubeApiserver()
  engine = await engineFrom(server.kubeconfig)
  const kinds = allKinds.filter(({ group }) => group === 'hive.openshift.io')
  await installCrds({ store: engine.store, kinds, version: '0.0.0', clock })
  await engine.store.create(Namespace, { metadata: { name: namespace } })
  await engine.store.create(ClusterImageSet, { metadata: { name: 'release' }, spec: { releaseImage: 'x:1' } })
  const installer = new SimulatedInstaller({ clock, installSeconds: 0, deprovisionSeconds: 0, failEvery: 0 })
  replicas = [1, 2].map(() => {
    const metrics = prometheusMetrics()
    const controllers = clusterPools({ metrics, installer, grants: false })
    return startControllers({ store: engine.store, clock, chance: realChance(), log: silentLog, metrics, controllers })
  })
}, 120_000)
afterAll(async () => {
  await Promise.all(replicas.map(replica => replica.stop({ within: 2_000 })))
  await engine?.close()
  await server?.stop()
}, 60_000)

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await isSo()) return
    await sleep(100)
  }
  throw new Error(`never came to pass: ${what}`)
}

const clusters = async () => (await engine.store.list(ClusterDeployment)).items.map(item => item.object)
const names = async () => (await clusters()).map(({ spec }) => spec.clusterName).toSorted()
const pool = () => engine.store.get(ClusterPool, { namespace, name: 'pool' })
const inventory = (...list: readonly string[]) => ({ clusterDeployments: list.map(name => ({ name })) })

async function change(spec: Partial<ClusterPool['spec']>, without?: 'inventory'): Promise<void> {
  await until('the change of the pool', async () => {
    const { inventory: listed, ...rest } = (await pool()).spec
    const next = { ...rest, ...(without === undefined && listed !== undefined ? { inventory: listed } : {}), ...spec }
    return engine.store.update(ClusterPool, { ...(await pool()), spec: next }).then(
      () => true,
      () => false,
    )
  })
}

const draft = (list: readonly object[]) => ({
  metadata: { name: 'pool', namespace },
  spec: {
    platform: { none: {} },
    baseDomain: 'example.com',
    imageSetRef: { name: 'release' },
    size: 3,
    runningCount: 3,
    inventory: { clusterDeployments: list as { name: string }[] },
  },
})

test.each([
  ['a missing name', [{ name: 'a' }, {}]],
  ['an empty name', [{ name: '' }]],
  ['a name that stands twice', [{ name: 'a' }, { name: 'a' }]],
])('the server itself refuses %s', async (_, list) => {
  await expect(engine.store.create(ClusterPool, draft(list))).rejects.toThrow('spec.inventory.clusterDeployments[')
})

test.each([
  ['no source', { name: 'A', valueFrom: {} }],
  ['two sources', { name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
])('the server itself refuses a variable with %s', async (_, variable) => {
  const { metadata, spec } = draft([])
  await expect(engine.store.create(ClusterPool, { metadata, spec: { ...spec, installerEnv: [variable] } })).rejects.toThrow(
    'a variable has either a value, or valueFrom',
  )
})

test('two replicas that race fill a pool of three named clusters, each once', async () => {
  await engine.store.create(ClusterPool, draft([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }]))
  await until('three ready clusters', async () => (await pool()).status?.ready === 3)
  const all = await names()
  expect(all).toHaveLength(3)
  expect(new Set(all).size).toBe(3)
}, 90_000)

test('a claim gets a cluster, and gives it back', async () => {
  await engine.store.create(ClusterClaim, {
    metadata: { name: 'mine', namespace },
    spec: { clusterPoolName: 'pool', subjects: [{ kind: 'User', name: 'ada' }] },
  })
  const claim = () => engine.store.get(ClusterClaim, { namespace, name: 'mine' })
  await until(
    'the claim is served',
    async () => (await claim()).status?.conditions?.find(({ type }) => type === 'Pending')?.status === 'False',
  )
  await until('the place is filled again', async () => (await pool()).status?.ready === 3)
  await engine.store.delete(ClusterClaim, { namespace, name: 'mine' })
  await until('the claim is gone', () =>
    claim().then(
      () => false,
      () => true,
    ),
  )
  await until('three clusters', async () => (await clusters()).length === 3)
  expect(new Set(await names()).size).toBe(3)
}, 90_000)

test('an entry that is removed takes its cluster along, and a deleted inventory leaves generated names', async () => {
  const [leaver = '', ...others] = await names()
  const rest = ['a', 'b', 'c', 'd'].filter(name => name !== leaver)
  await change({ inventory: inventory(...rest) })
  await until('the others', async () => (await names()).join() === rest.toSorted().join())
  expect(others.length).toBe(2)
  await change({}, 'inventory')
  await until('generated names', async () => {
    const all = await names()
    return all.length === 3 && all.every(name => name.startsWith('pool-'))
  })
  expect((await pool()).status?.clusterNameUsage).toBeUndefined()
}, 120_000)

test('plain kubectl scales a pool, waits for it and for a claim, and gives the claim back', async () => {
  expect(await kubectlStory(server.kubeconfig)).toBe('nothing is left')
}, 120_000)

test('the policy that ships for Kubernetes refuses what the embedded engine refuses by itself', async () => {
  const policy = fileURLToPath(new URL('../../../deploy/admission/clusterdeployments.yaml', import.meta.url))
  execFileSync(await usePeer('kubectl'), ['--kubeconfig', server.kubeconfig, 'apply', '-f', policy], { stdio: 'ignore' })
  await engine.store.create(Namespace, { metadata: { name: 'rows' } })
  const shielded = admissionRows.find(({ does, isAllowed }) => does === 'delete' && !isAllowed)!
  // Servers take a moment until a new policy holds.
  let round = 0
  await until('the policy holds', async () => {
    const refusal = await admission(engine.store, 'rows', { ...shielded, name: `round ${round++}` })
    return refusal?.startsWith('Forbidden: ') === true
  })
  for (const row of admissionRows) {
    const refusal = await admission(engine.store, 'rows', row)
    expect(refusal === undefined, `${row.name}: ${refusal}`).toBe(row.isAllowed)
  }
}, 60_000)
