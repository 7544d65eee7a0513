import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allKinds } from '../../../src/kinds/index.ts'
import { realClock } from '../../../src/ports/index.ts'
import { installCrds } from '../../../src/store/index.ts'
import { startKubeApiserver } from '../peer.ts'
import { kubectlAt, kubectlStory } from '../pools/kubectl-story.ts'
import { workshop } from './aviary-process.ts'

const deployed = (file: string) => fileURLToPath(new URL(`../../../deploy/kubernetes/${file}`, import.meta.url))
const [role, poolAdmin] = [deployed('rbac.yaml'), deployed('pool-admin.yaml')]
const hive = { apiVersion: 'hive.openshift.io/v1' }
const rbac = 'rbac.authorization.k8s.io'
const inDefault = (name: string) => ({ name, namespace: 'default' })

test('on a real kube-apiserver a service account with the role of deploy/ keeps pools and gives those access who claim clusters', async () => {
  await using shop = await workshop()
  await using stack = new AsyncDisposableStack()
  const server = await startKubeApiserver()
  stack.defer(() => server.stop())
  const kubectl = await kubectlAt(server.kubeconfig)
  const kinds = allKinds.filter(({ builtIn }) => !builtIn)
  await installCrds({ store: await shop.store(server.kubeconfig), kinds, version: '0.0.0', clock: realClock() })
  await kubectl(`apply -f ${role}`)
  const token = await kubectl('create token aviary -n aviary')
  const account = JSON.parse(await kubectl('config view --raw --minify -o json')) as { users: { user: object }[] }
  const kubeconfig = join(shop.folder, 'account.kubeconfig')
  writeFileSync(kubeconfig, JSON.stringify({ ...account, users: account.users.map(each => ({ ...each, user: { token } })) }))
  expect(readFileSync(kubeconfig, 'utf8')).not.toContain('client-key')

  const aviary = await shop.start(
    'aviary',
    `
    [server]
    listen = "127.0.0.1:0"
    dataDir = "aviary"
    [engine]
    kind = "kubernetes"
    kubeconfig = "${kubeconfig}"
    [engine.leaderElection]
    namespace = "aviary"
    [pools.installer]
    kind = "simulated"
    installSeconds = 0.5
    deprovisionSeconds = 0.5
    powerSeconds = 0`,
  )
  await aviary.ready
  expect(await kubectlStory(server.kubeconfig)).toBe('nothing is left')

  await kubectl(`apply -f ${poolAdmin}`)
  await kubectl('create rolebinding keepers -n default --clusterrole=hive-cluster-pool-admin --group=keepers')
  await kubectl('apply -f -', { ...hive, kind: 'ClusterImageSet', metadata: { name: 'release' }, spec: { releaseImage: 'x:1' } })
  const spec = { platform: { none: {} }, baseDomain: 'example.com', imageSetRef: { name: 'release' }, size: 1 }
  await kubectl('apply -f -', { ...hive, kind: 'ClusterPool', metadata: inDefault('shared'), spec })
  const subjects = [{ apiGroup: rbac, kind: 'User', name: 'ann' }]
  await kubectl('apply -f -', { ...hive, kind: 'ClusterClaim', metadata: inDefault('mine'), spec: { clusterPoolName: 'shared', subjects } })
  await kubectl('wait clusterclaim/mine --for=condition=ClusterRunning --timeout=60s')
  const namespace = await kubectl('get clusterclaim mine -o jsonpath={.spec.namespace}')
  const canSee = (who: string) => kubectl(`auth can-i get secrets/${namespace}-admin-kubeconfig -n ${namespace} ${who}`).catch(() => 'no')
  await expect.poll(() => canSee('--as=ann'), { timeout: 20_000 }).toBe('yes')
  await expect.poll(() => canSee('--as=bob --as-group=keepers'), { timeout: 20_000 }).toBe('yes')
  expect(await canSee('--as=eve')).toBe('no')
  expect((await aviary.kill('SIGTERM')).code).toBe(0)
}, 180_000)
