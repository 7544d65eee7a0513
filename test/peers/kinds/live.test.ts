import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allKinds, crd, type Kind } from '../../../src/kinds/index.ts'
import { type Case, cases } from '../../../src/kinds/recorded/cases.ts'
import { badSchemas } from '../../../src/kinds/testing/bad-schemas.ts'
import { Specimen } from '../../../src/kinds/testing/specimen.ts'
import { send } from '../kubectl/real-server.ts'
import { startKubeApiserver, type KubeApiserver } from '../peer.ts'

// `AVIARY_RECORD=1` writes down what the real server says now, for the test of decoding that runs without it.

const kinds: readonly Kind[] = [...allKinds, Specimen]
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
let server: KubeApiserver

beforeAll(async () => {
  server = await startKubeApiserver()
})
afterAll(() => server.stop())

interface Answer {
  readonly status: number
  readonly body: { readonly [field: string]: unknown; readonly message?: string; readonly metadata?: { readonly resourceVersion?: string } }
}

async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const { status, text } = await send(server, { method, path, body })
  return { status, body: text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : { message: text } }
}

function pathOf(kind: Kind): string {
  const group = kind.group === '' ? '/api/v1' : `/apis/${kind.group}/${kind.version}`
  return `${group}${kind.scope === 'Namespaced' ? '/namespaces/default' : ''}/${kind.plural}`
}

test('a real server takes the CRD of every kind', async () => {
  for (const kind of kinds.filter(one => !one.builtIn)) {
    const { status, body } = await ask('POST', definitions, crd(kind))
    expect(status, body.message).toBe(201)
    while ((await ask('GET', pathOf(kind))).status !== 200) await sleep(100)
  }
})

test('the recorded answers are what a real server answers', async () => {
  const answers: Record<string, object> = {}
  for (const one of cases) answers[one.name] = await answerTo(one)
  const file = new URL('../../../src/kinds/recorded/answers.json', import.meta.url)
  const written = `${JSON.stringify(answers, null, 2)}\n`
  if (process.env['AVIARY_RECORD'] !== undefined) writeFileSync(file, written)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(answers)
})

test.each(badSchemas)('a real server refuses a schema with %s', async (name, openAPIV3Schema) => {
  const names = { plural: 'bads', singular: 'bad', kind: 'Bad', listKind: 'BadList' }
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }
  const spec = { group: 'test.aviary.dev', scope: 'Cluster', names, versions: [version] }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'bads.test.aviary.dev' },
    spec,
  }
  const { status } = await ask('POST', `${definitions}?dryRun=All`, definition)
  expect(status >= 400).toBe(!name.endsWith('(ours)'))
})

async function answerTo({ kind: name, object, old }: Case): Promise<object> {
  const kind = kinds.find(one => one.name === name)!
  const path = pathOf(kind)
  const whole = (fields: unknown) => ({ apiVersion: kind.apiVersion, kind: kind.name, ...(fields as object) })
  if (old !== undefined) return changed(path, whole(old), whole(object))
  const made = await ask('POST', `${path}?dryRun=All&fieldValidation=Ignore`, whole(object))
  const strict = await ask('POST', `${path}?dryRun=All&fieldValidation=Strict`, whole(object))
  const unknown = [...(strict.body.message ?? '').matchAll(/unknown field "([^"]+)"/g)].map(match => match[1])
  return { ...verdict(made), ...(strict.status === 400 && unknown.length > 0 ? { unknown } : {}) }
}

async function changed(path: string, old: object, next: object): Promise<object> {
  const made = await ask('POST', path, old)
  expect(made.status, made.body.message).toBe(201)
  const { metadata } = made.body as { readonly metadata: { readonly name: string; readonly resourceVersion: string } }
  const put = { ...next, metadata: { name: metadata.name, resourceVersion: metadata.resourceVersion } }
  const answer = verdict(await ask('PUT', `${path}/${metadata.name}?dryRun=All&fieldValidation=Ignore`, put))
  await ask('DELETE', `${path}/${metadata.name}`)
  return answer
}

function verdict({ status, body }: Answer): object {
  if (status < 300) {
    const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...accepted } = body
    return { accepted }
  }
  expect(status, body.message).toBe(422)
  const { causes } = body['details'] as { readonly causes: readonly { field: string; message: string; reason: string }[] }
  return { refused: causes.map(({ field, message, reason }) => `${field}: ${message} (${reason})`).toSorted() }
}
