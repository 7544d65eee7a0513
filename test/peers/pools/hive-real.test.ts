import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allKinds, crd, findKind, type Kind } from '../../../src/kinds/index.ts'
import { send } from '../kubectl/real-server.ts'
import { startKubeApiserver, usePeer, type KubeApiserver } from '../peer.ts'
import { hiveManifests } from './hive-manifests.ts'

// The same manifests, on the same real kube-apiserver: first with Hive's CRDs, then with ours.

const kinds = allKinds.filter(({ group }) => group === 'hive.openshift.io')
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
let server: KubeApiserver
let folder: string

beforeAll(async () => {
  folder = join(await usePeer('hive'), '..')
  server = await startKubeApiserver()
}, 120_000)
afterAll(() => server.stop())

const ask = (method: string, path: string, body?: unknown) => send(server, { method, path, body })
const pathOf = ({ scope, plural }: Kind) => `/apis/hive.openshift.io/v1${scope === 'Namespaced' ? '/namespaces/default' : ''}/${plural}`

async function untilStatus(path: string, wanted: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if ((await ask('GET', path)).status === wanted) return
    await sleep(100)
  }
  throw new Error(`${path} never answered with ${wanted}`)
}

async function install(definitionOf: (kind: Kind) => unknown): Promise<void> {
  for (const kind of kinds) {
    const { status, text } = await ask('POST', definitions, definitionOf(kind))
    expect(status, text).toBe(201)
  }
  for (const kind of kinds) await untilStatus(pathOf(kind), 200)
}

/** What the server says to each manifest, with unknown fields of the spec refused. */
async function verdicts(): Promise<readonly string[]> {
  const answers: string[] = []
  for (const [from, manifest] of hiveManifests(folder, kinds)) {
    const kind = findKind(kinds, manifest.apiVersion, manifest.kind)!
    const { status: _, ...written } = manifest as { readonly status?: unknown }
    const body = { ...written, metadata: { ...manifest.metadata, namespace: kind.scope === 'Namespaced' ? 'default' : undefined } }
    const { status, text } = await ask('POST', `${pathOf(kind)}?dryRun=All&fieldValidation=Strict`, body)
    answers.push(`${from} ${manifest.kind}: ${status === 201 ? 'taken' : text}`)
  }
  return answers
}

test('sample manifests apply to both', async () => {
  await install(({ plural }) => parse(readFileSync(join(folder, `hive.openshift.io_${plural}.yaml`), 'utf8')) as unknown)
  const theirs = await verdicts()
  for (const { plural, group } of kinds) await ask('DELETE', `${definitions}/${plural}.${group}`)
  for (const { plural, group } of kinds) await untilStatus(`${definitions}/${plural}.${group}`, 404)
  await install(crd)
  const ours = await verdicts()
  expect(ours).toEqual(theirs)
  expect(ours.filter(answer => !answer.endsWith(': taken'))).toEqual([])
}, 120_000)
