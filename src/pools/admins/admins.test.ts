import { afterEach, expect, test } from 'vitest'
import { Namespace, RoleBinding } from '../../kinds/index.ts'
import { startControllers } from '../../control/index.ts'
import { seededChance, silentLog } from '../../ports/index.ts'
import { poolNameLabel, poolNamespaceLabel, rbacGroup } from '../names.ts'
import { home, PoolWorld } from '../testing/pool-world.ts'
import { adminBinding, adminRole, poolAdmins } from './controller.ts'

let close: () => Promise<void>
afterEach(() => close())

async function begin(namespaces: readonly string[] = ['one', 'two']): Promise<PoolWorld> {
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
  for (const name of namespaces)
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

// The rows of the specification's table of administrators (hive-clusterpool §4.2). B and B2 bind a user and a group in the pool's
// namespace; one and two are namespaces of the pool's clusters; X is the binding that is made there.
const user = (name: string) => ({ kind: 'User', name })
const group = (name: string) => ({ kind: 'Group', name })
const B = user('test-admin')
const B2 = group('test-admin-group-1')
const other = user('test-admin-another')

interface AdminRow {
  readonly name: string
  readonly bindings: readonly { readonly kind: string; readonly name: string }[]
  readonly role?: string
  readonly namespaces: 'none' | 'others' | 'one' | 'both'
  /** What X says in namespace one beforehand. */
  readonly before?: readonly { readonly kind: string; readonly name: string }[]
  readonly after: Readonly<Record<string, readonly string[]>>
}

test.each<AdminRow>([
  { name: 'no binding referring to cluster role 1', bindings: [], namespaces: 'both', after: {} },
  { name: 'no binding referring to cluster role 2', bindings: [B], role: 'admin', namespaces: 'both', after: {} },
  { name: 'binding referring to cluster role but no namespace for pool 1', bindings: [B], namespaces: 'none', after: {} },
  { name: 'binding referring to cluster role but no namespace for pool 2 and 3', bindings: [B], namespaces: 'others', after: {} },
  {
    name: 'binding referring to cluster role with one namespace for pool 4',
    bindings: [B],
    namespaces: 'one',
    after: { one: ['test-admin'] },
  },
  {
    name: 'binding referring to cluster role with multiple namespace for pool',
    bindings: [B],
    namespaces: 'both',
    after: { one: ['test-admin'], two: ['test-admin'] },
  },
  {
    name: 'multiple binding referring to cluster role with one namespace for pool',
    bindings: [B, B2],
    namespaces: 'one',
    after: { one: ['test-admin', 'test-admin-group-1'] },
  },
  {
    name: 'multiple binding referring to cluster role with multiple namespace for pool',
    bindings: [B, B2],
    namespaces: 'both',
    after: { one: ['test-admin', 'test-admin-group-1'], two: ['test-admin', 'test-admin-group-1'] },
  },
  { name: 'pre existing role binding that is same', bindings: [B], namespaces: 'one', before: [B], after: { one: ['test-admin'] } },
  {
    name: 'pre existing role bindings that are same',
    bindings: [B, B2],
    namespaces: 'one',
    before: [B, B2],
    after: { one: ['test-admin', 'test-admin-group-1'] },
  },
  {
    name: 'pre existing role binding that are different 1',
    bindings: [B],
    namespaces: 'one',
    before: [other],
    after: { one: ['test-admin'] },
  },
  {
    name: 'pre existing role binding that are different 2',
    bindings: [other],
    namespaces: 'one',
    before: [B],
    after: { one: ['test-admin-another'] },
  },
  {
    name: 'pre existing role bindings that are different 3',
    bindings: [B, B2],
    namespaces: 'one',
    before: [other, B2],
    after: { one: ['test-admin', 'test-admin-group-1'] },
  },
  {
    name: 'pre existing role bindings that are different 4',
    bindings: [B, B2],
    namespaces: 'one',
    before: [other, group('test-admin-group-another')],
    after: { one: ['test-admin', 'test-admin-group-1'] },
  },
  {
    name: 'pre existing role bindings that are different 5',
    bindings: [other, B2],
    namespaces: 'one',
    before: [user('test-admin-1'), B2],
    after: { one: ['test-admin-another', 'test-admin-group-1'] },
  },
])('$name', async ({ bindings, role, namespaces, before, after }) => {
  const names = { none: [], others: [], one: ['one'], both: ['one', 'two'] }[namespaces]
  const world = await begin(names)
  if (namespaces === 'others') await world.store.create(Namespace, { metadata: { name: 'unlabelled' } })
  const roleRef = { apiGroup: rbacGroup, kind: 'ClusterRole', name: adminRole }
  if (before !== undefined)
    await world.store.create(RoleBinding, { metadata: { name: adminBinding, namespace: 'one' }, subjects: before, roleRef })
  for (const [index, subject] of bindings.entries()) await bind(world, `test-${index}`, subject, role)
  await world.settle()
  expect(await bound(world)).toEqual(after)
  const homes = (await world.all(RoleBinding)).filter(({ metadata }) => metadata.namespace === home)
  expect(homes.flatMap(({ subjects }) => subjects)).toEqual(bindings)
})

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
  await world.store.delete(RoleBinding, { namespace: 'one', name: adminBinding })
  await world.store.create(RoleBinding, {
    metadata: { namespace: 'one', name: adminBinding },
    subjects: [{ kind: 'User', name: 'ada' }],
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'cluster-admin' },
  })
  await world.settle()
  expect((await world.store.get(RoleBinding, { namespace: 'one', name: adminBinding })).roleRef.name).toBe(adminRole)
  await world.delete(RoleBinding, admin)
  await world.settle()
  expect(await bound(world)).toEqual({})
})
