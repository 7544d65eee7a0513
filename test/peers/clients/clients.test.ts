import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigMap, Namespace, Nest } from '../../../src/kinds/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { usePeer } from '../peer.ts'
import { workshop } from '../server/aviary-process.ts'

const run = promisify(execFile)
const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

let shop: Awaited<ReturnType<typeof workshop>>
let python: string
let kubeconfig: string
let store: Store

beforeAll(async () => {
  python = await usePeer('ansible')
  shop = await workshop()
  await (
    await shop.start('server', '[server]\nlisten = "127.0.0.1:0"\ndataDir = "data"')
  ).ready
  kubeconfig = join(shop.folder, 'data', 'kubeconfig')
  store = await shop.store(kubeconfig)
  for (const name of ['python', 'ansible']) await store.create(Namespace, { metadata: { name } })
})

afterAll(() => shop[Symbol.asyncDispose]())

test('the official Python client creates, watches, patches and deletes, and reads our answers into its own classes', async () => {
  const { stdout } = await run(python, [beside('life.py'), kubeconfig, 'python'])
  const seen = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { what: string })
  expect(seen.filter(({ what }) => what !== 'event')).toEqual([
    { what: 'created', eggs: 2, material: 'twig', generation: 1 },
    { what: 'patched', eggs: 5, generation: 2 },
    { what: 'refused', status: 422, reason: 'Invalid' },
    { what: 'gone', status: 404 },
    { what: 'config map', data: { a: '1', b: '2' } },
    { what: 'config maps', names: [] },
  ])
  expect(seen.filter(({ what }) => what === 'event')).toEqual([
    { what: 'event', type: 'ADDED', name: 'py', eggs: 2 },
    { what: 'event', type: 'MODIFIED', name: 'py', eggs: 5 },
    { what: 'event', type: 'DELETED', name: 'py', eggs: 5 },
  ])
})

test('Ansible applies a playbook once, finds nothing to do the second time, and removes what it made', async () => {
  const folder = dirname(dirname(python))
  const inventory = join(shop.folder, 'inventory.yaml')
  await writeFile(
    inventory,
    `all: {hosts: {localhost: {ansible_connection: local, ansible_python_interpreter: ${JSON.stringify(python)}}}}`,
  )
  const play = async (state: 'present' | 'absent') => {
    const args = ['-m', 'ansible', 'playbook', '-i', inventory, beside('nest.yaml'), '-e', 'namespace=ansible', '-e', `state=${state}`]
    const environment = {
      ANSIBLE_COLLECTIONS_PATH: join(folder, 'collections'),
      ANSIBLE_HOME: join(shop.folder, 'ansible'),
      ANSIBLE_NOCOLOR: '1',
      K8S_AUTH_KUBECONFIG: kubeconfig,
    }
    const { stdout } = await run(python, args, { env: { ...process.env, ...environment } })
    return /localhost +: ok=(\d+) +changed=(\d+).*failed=(\d+)/.exec(stdout)?.slice(1).map(Number)
  }

  expect(await play('present')).toEqual([2, 2, 0])
  expect((await store.get(Nest, { namespace: 'ansible', name: 'ansible' })).spec).toMatchObject({
    eggs: 3,
    guards: [{ name: 'owl', post: 'north' }],
  })
  expect(await play('present')).toEqual([2, 0, 0])
  expect(await play('absent')).toEqual([2, 2, 0])
  expect((await store.list(Nest, { namespace: 'ansible' })).items).toEqual([])
  expect((await store.list(ConfigMap, { namespace: 'ansible' })).items).toEqual([])
})
