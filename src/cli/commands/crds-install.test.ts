import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allKinds } from '../../kinds/index.ts'
import { loopback } from '../../server/testing/aviary-on-loopback.ts'
import { playIn } from '../testing/played-io.ts'
import { kubeconfigText, pretendedCluster } from '../testing/pretended-cluster.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const own = allKinds.filter(kind => !kind.builtIn)

/** A cluster that takes definitions and serves their kinds at once. */
async function cluster() {
  const there = new Map<string, object>()
  return await pretendedCluster((request, body) => {
    const [method = '', path = ''] = request.split(' ')
    if (path === '/version') return { gitVersion: 'v1.35.4' }
    if (method === 'POST') {
      const crd = body as { readonly metadata: { readonly name: string } }
      const status = { conditions: [{ type: 'Established', status: 'True' }] }
      there.set(crd.metadata.name, { ...crd, metadata: { ...crd.metadata, uid: 'u', resourceVersion: '1' }, status })
    }
    if (path.startsWith(definitions))
      return there.get(path.slice(definitions.length + 1) || (body as { metadata: { name: string } }).metadata.name)
    return { metadata: { resourceVersion: '1' }, items: [] }
  })
}

test('crds install makes a cluster serve every kind of our own, and has nothing to do the next time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aviary-crds-'))
  const to = await cluster()
  try {
    await writeFile(join(folder, 'kubeconfig'), kubeconfigText({ here: to.url }))
    const install = () => playIn(folder)('crds install', { environment: { KUBECONFIG: join(folder, 'kubeconfig') } })
    const lines = (outcome: string) => own.map(({ plural, group }) => `${plural}.${group} ${outcome}\n`).join('')
    expect(await install()).toEqual({ code: 0, out: lines('created'), err: `${own.length} kinds are served by ${to.url}.\n` })
    expect(await install()).toMatchObject({ code: 0, out: lines('unchanged') })
    expect(to.asked.filter(request => request.startsWith('POST'))).toHaveLength(own.length)
  } finally {
    await to.close()
    await rm(folder, { recursive: true })
  }
})

test('a server of Aviary that keeps its objects itself is refused as a cluster, unless a configuration file names it', async () => {
  await using world = await loopback()
  const { url, kubeconfig = '' } = await world.start()
  const refusal = {
    code: 3,
    out: '',
    err: expect.stringMatching(new RegExp(`^error: ${url} is no Kubernetes cluster, [^]*fix: .*--kubeconfig FILE`)),
  }
  const play = playIn(world.folder)
  const environment = { KUBECONFIG: kubeconfig }
  const up = 'up --data-dir other --listen 127.0.0.1:0'
  expect(await play(`crds install --kubeconfig ${kubeconfig}`)).toMatchObject(refusal)
  expect(await play('crds install', { environment })).toMatchObject(refusal)
  expect(await play(`${up} --engine kubernetes --kubeconfig ${kubeconfig}`)).toMatchObject(refusal)
  expect(await play(`${up} --engine kubernetes`, { environment })).toMatchObject(refusal)

  const config = `${world.folder}/replica.toml`
  const lead = `[engine]\nkind = "kubernetes"\n`
  await writeFile(config, lead)
  expect(await play(`${up} --config ${config}`, { environment })).toMatchObject(refusal)
  await writeFile(config, `${lead}kubeconfig = ${JSON.stringify(kubeconfig)}\n[log]\nlevel = "silent"\n`)
  const stop = new AbortController()
  const onOut = (text: string) => void (text.includes('\nready https://') && stop.abort())
  expect(await play(`${up} --config ${config}`, { signal: stop.signal, onOut })).toMatchObject({
    code: 0,
    out: expect.stringContaining('Aviary runs on your Kubernetes cluster'),
  })
})
