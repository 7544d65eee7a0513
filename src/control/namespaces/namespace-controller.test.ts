import { expect, test } from 'vitest'
import { allKinds, ConfigMap, type Kind, Namespace, Nest, Secret } from '../../kinds/index.ts'
import { StoreError } from '../../store/index.ts'
import { FlakyStore } from '../testing/flaky-store.ts'
import { makeWorld, type World } from '../testing/world.ts'
import { namespaceController } from './namespace-controller.ts'

const controller = namespaceController({ kinds: allKinds })
const contents: readonly Kind[] = [ConfigMap, Secret, Nest]

async function fill({ store }: World, namespace: string, finalizers: readonly string[] = []): Promise<void> {
  await store.create(Namespace, { metadata: { name: namespace }, spec: {} })
  for (let n = 0; n < 3; n++) await store.create(ConfigMap, { metadata: { namespace, name: `c${n}` } })
  await store.create(Secret, { metadata: { namespace, name: 's' } })
  await store.create(Nest, { metadata: { namespace, name: 'n', finalizers }, spec: {} })
}

const space = ({ store }: World, name: string) => store.get(Namespace, { name })
const condition = (namespace: Namespace, type: string) => namespace.status?.conditions?.find(each => each.type === type)

test('a namespace goes with all that is in it, and no other is touched', async () => {
  const world = await makeWorld()
  await fill(world, 'doomed')
  await fill(world, 'kept')
  world.start(controller)
  await world.settle()
  await world.store.delete(Namespace, { name: 'doomed' })
  await world.settle()
  await expect(space(world, 'doomed')).rejects.toThrow(/not found/)
  for (const kind of contents) {
    expect((await world.store.list(kind, { namespace: 'doomed' })).items).toEqual([])
    expect((await world.store.list(kind, { namespace: 'kept' })).items).not.toEqual([])
  }
  expect((await space(world, 'kept')).status?.phase).toBe('Active')
})

test('while finalizers hold something it says what is left, in the words of Kubernetes', async () => {
  const world = await makeWorld()
  await fill(world, 'doomed', ['x.dev/hold'])
  world.start(controller)
  await world.store.delete(Namespace, { name: 'doomed' })
  await world.settle()
  const waiting = await space(world, 'doomed')
  expect(waiting.status?.phase).toBe('Terminating')
  expect(condition(waiting, 'NamespaceContentRemaining')).toMatchObject({
    status: 'True',
    reason: 'SomeResourcesRemain',
    message: 'Some resources are remaining: nests.demo.aviary.dev has 1 resource instances',
  })
  expect(condition(waiting, 'NamespaceFinalizersRemaining')).toMatchObject({
    status: 'True',
    reason: 'SomeFinalizersRemain',
    message: 'Some content in the namespace has finalizers remaining: x.dev/hold in 1 resource instances',
  })
  expect(condition(waiting, 'NamespaceDeletionContentFailure')).toMatchObject({ status: 'False', reason: 'ContentDeleted' })
  expect(waiting.status?.conditions).toHaveLength(5)
  await world.clock.advance(3_600_000)
  expect((await space(world, 'doomed')).metadata.resourceVersion).toBe(waiting.metadata.resourceVersion)
  const nest = await world.store.get(Nest, { namespace: 'doomed', name: 'n' })
  await world.store.update(Nest, { ...nest, metadata: { ...nest.metadata, finalizers: [] } })
  await world.settle()
  await expect(space(world, 'doomed')).rejects.toThrow(/not found/)
})

test('what cannot be deleted is told, and tried again', async () => {
  let flaky: FlakyStore | undefined
  const world = await makeWorld({ wrap: store => (flaky = new FlakyStore(store)) })
  await fill(world, 'doomed')
  flaky!.before = (operation, kind) => {
    if (operation === 'delete' && kind.name === 'Secret') throw new StoreError('InternalError', 'the disk is sulking')
  }
  world.start(controller)
  await world.store.delete(Namespace, { name: 'doomed' })
  await world.settle()
  expect(condition(await space(world, 'doomed'), 'NamespaceDeletionContentFailure')).toMatchObject({
    status: 'True',
    reason: 'ContentDeletionFailed',
    message: 'Failed to delete all resource types, 1 remaining: Secret s: the disk is sulking',
  })
  flaky!.before = () => {}
  await world.clock.advance(600_000)
  await expect(space(world, 'doomed')).rejects.toThrow(/not found/)
})

test('other holders of the namespace are respected', async () => {
  const world = await makeWorld()
  await world.store.create(Namespace, { metadata: { name: 'doomed', finalizers: ['x.dev/hold'] }, spec: {} })
  world.start(controller)
  await world.store.delete(Namespace, { name: 'doomed' })
  await world.settle()
  const held = await space(world, 'doomed')
  expect(held.spec.finalizers ?? []).toEqual([])
  expect(held.metadata.finalizers).toEqual(['x.dev/hold'])
  await world.store.update(Namespace, { ...held, metadata: { ...held.metadata, finalizers: [] } })
  await world.settle()
  await expect(space(world, 'doomed')).rejects.toThrow(/not found/)
})
