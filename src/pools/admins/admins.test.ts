import { afterEach, expect, test } from 'vitest'
import { Namespace, RoleBinding } from '../../kinds/index.ts'
import { startControllers } from '../../control/index.ts'
import { seededChance, silentLog } from '../../ports/index.ts'
import { poolNameLabel, poolNamespaceLabel, rbacGroup } from '../names.ts'
import { home, PoolWorld } from '../testing/pool-world.ts'
import { adminBinding, adminRole, poolAdmins } from './controller.ts'

let close: () => Promise<void>
afterEach(() => close())

async function begin(): Promise<PoolWorld> {
  const world = await PoolWorld.make()
  const running = startControllers({
    store: world.store,
    clock: world.clock,
    chance: seededChance(1),
    log: silentLog,
    metrics: world.metrics,
    controllers: [poolAdmins()],
  })
  close = async () => {
    const stopping = running.stop({ within: 1_000 })
    await world.clock.advance(5_000)
    await stopping
  }
  await world.createPool()
  for (const name of ['one', 'two'])
    await world.store.create(Namespace, { metadata: { name, labels: { [poolNamespaceLabel]: home, [poolNameLabel]: 'pool' } } })
  await world.store.create(Namespace, {
    metadata: { name: 'same-name-elsewhere', labels: { [poolNamespaceLabel]: 'default', [poolNameLabel]: 'pool' } },
  })
  return world
}

const bind = (world: PoolWorld, name: string, subject: { kind: string; name: string }, role = adminRole) =>
  world.store.create(RoleBinding, {
    metadata: { name, namespace: home },
    subjects: [subject],
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
  })

async function bound(world: PoolWorld): Promise<Readonly<Record<string, readonly string[]>>> {
  const made = (await world.all(RoleBinding)).filter(({ metadata }) => metadata.name === adminBinding)
  return Object.fromEntries(made.map(({ metadata, subjects = [] }) => [metadata.namespace, subjects.map(({ name }) => name)]))
}

test('administrators of a pool get into the namespaces of its clusters, and of no other pool’s', async () => {
  const world = await begin()
  await bind(world, 'other', { kind: 'User', name: 'stranger' }, 'admin')
  await world.settle()
  expect(await bound(world)).toEqual({})
  await bind(world, 'test', { kind: 'User', name: 'ada' })
  await bind(world, 'test-2', { kind: 'Group', name: 'admins' })
  await world.settle()
  expect(await bound(world)).toEqual({ one: ['ada', 'admins'], two: ['ada', 'admins'] })
})

test('a binding that somebody changed or deleted is put right, and goes when the last administrator does', async () => {
  const world = await begin()
  const admin = await bind(world, 'test', { kind: 'User', name: 'ada' })
  await world.settle()
  await world.edit(RoleBinding, await world.store.get(RoleBinding, { namespace: 'one', name: adminBinding }), binding => ({
    ...binding,
    subjects: [{ kind: 'User', name: 'eve' }],
  }))
  await world.store.delete(RoleBinding, { namespace: 'two', name: adminBinding })
  await world.settle()
  expect(await bound(world)).toEqual({ one: ['ada'], two: ['ada'] })
  await world.delete(RoleBinding, admin)
  await world.settle()
  expect(await bound(world)).toEqual({})
})
