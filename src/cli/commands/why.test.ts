import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AccessGrant, ConfigMap, Nest, Secret } from '../../kinds/index.ts'
import { loopback } from '../../server/testing/aviary-on-loopback.ts'
import { playIn } from '../testing/played-io.ts'

test.each([
  { namespaces: ['default'], ending: 'could not look at: nodes' },
  { namespaces: ['*'], ending: 'owns 1\n  ConfigMap default/twig is silent' },
])('who may only view $namespaces is told why, without secrets, and what could not be looked at', async ({ namespaces, ending }) => {
  await using world = await loopback()
  const aviary = await world.start()
  const store = await world.store(aviary)
  const play = playIn(world.folder)

  const nest = await store.create(Nest, { metadata: { namespace: 'default', name: 'robin' }, spec: { eggs: 1 } })
  const owner = { apiVersion: nest.apiVersion, kind: nest.kind, name: 'robin', uid: nest.metadata.uid ?? '' }
  const metadata = { namespace: 'default', name: 'twig', ownerReferences: [owner] }
  await store.create(ConfigMap, { metadata })
  await store.create(Secret, { metadata, stringData: { word: 'sesame' } })
  const closed = {
    type: 'Ready',
    status: 'False' as const,
    reason: 'Closed',
    message: 'Node/heron is closed',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  await store.update(Nest, { ...nest, status: { ...nest.status, conditions: [closed] } }, { subresource: 'status' })

  await store.create(AccessGrant, {
    metadata: { name: 'viewers' },
    spec: { subjects: [{ kind: 'User', name: 'viewer' }], role: 'view', namespaces },
  })
  const token = (await play('token create viewer --user viewer')).out.trim()
  const kubeconfig = join(world.folder, 'viewer')
  await writeFile(kubeconfig, (await readFile(aviary.kubeconfig ?? '', 'utf8')).replace(await world.token(aviary), token))

  const { code, out, err } = await play(`why nest/robin --kubeconfig ${kubeconfig}`)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('Ready is False: Closed\n')
  expect(out).toContain('\nowns 1\n  ConfigMap default/twig is silent\n')
  expect(out.endsWith(`\n\n${ending}\n`), out).toBe(true)
})
