import { expect, onTestFinished, test } from 'vitest'
import { ClusterClaim, type Kind, permissions, Role } from '../kinds/index.ts'
import { claimOwner } from './names.ts'
import { passThrough } from './testing/pass-through.ts'
import { PoolWorld } from './testing/pool-world.ts'

function isPermitted(group: string, resource: string, verb: string): boolean {
  return permissions.some(
    ({ apiGroups, resources, verbs, resourceNames }) =>
      resourceNames === undefined && apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb),
  )
}

test('the ClusterRole has no wildcard, no escalate, and binds by name only', () => {
  const open = permissions.filter(
    ({ apiGroups, resources, resourceNames, verbs }) =>
      [...apiGroups, ...resources, ...verbs].some(word => word.includes('*')) ||
      verbs.some(verb => ['escalate', 'impersonate'].includes(verb)) ||
      (verbs.includes('bind') && resourceNames === undefined),
  )
  expect(open).toEqual([])
})

test('the ClusterRole covers what pools do from creation to removal, and what the Role of a claim gives', async () => {
  const used = new Set<string>()
  const note = (verb: string, { group, plural }: Kind, subresource?: string) =>
    void used.add([verb, group, subresource === undefined ? plural : `${plural}/${subresource}`].join(' '))
  const world = await PoolWorld.make({
    // AccessGrants are of the embedded engine only.
    grants: false,
    wrap: store => {
      const inner = passThrough(store)
      return {
        ...inner,
        get: (kind, key) => (note('get', kind), inner.get(kind, key)),
        list: (kind, options) => (note('list', kind), inner.list(kind, options)),
        watch: (kind, options) => (note('watch', kind), inner.watch(kind, options)),
        create: (kind, draft, options) => (note('create', kind), inner.create(kind, draft, options)),
        update: (kind, object, options) => (note('update', kind, options?.subresource), inner.update(kind, object, options)),
        delete: (kind, key, options) => (note('delete', kind), inner.delete(kind, key, options)),
      }
    },
    only: 'pools',
  })
  onTestFinished(() => world.stop())
  world.start()
  await world.createPool({ size: 2, runningCount: 1, inventory: world.inventory('foo', 'bar') })
  await world.seconds(200)
  await world.claim('mine', { subjects: [{ kind: 'User', name: 'ann' }] })
  await world.seconds(60)
  const [role] = await world.all(Role)
  expect(role?.metadata.name).toBe(claimOwner)
  const given = (role?.rules ?? []).flatMap(({ apiGroups = [], resources = [], verbs }) =>
    resources.flatMap(resource => verbs.map(verb => [verb, apiGroups[0], resource].join(' '))),
  )
  await world.delete(ClusterClaim, await world.getClaim('mine'))
  await world.seconds(200)
  const missing = [...used, ...given].filter(text => {
    const [verb = '', group = '', resource = ''] = text.split(' ')
    return !isPermitted(group, resource, verb)
  })
  expect(missing).toEqual([])
  expect(used).toContain('create  secrets')
})
