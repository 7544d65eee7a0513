import { describe, expect, test } from 'vitest'
import type { Attempt } from './access.ts'
import { anybodyMay, roleAllows, roleNames } from './roles.ts'
import type { Role } from './roles.ts'

/** `get nests.demo.aviary.dev/status`, `get /metrics` */
function attempt(text: string): Attempt {
  const [verb = '', what = ''] = text.split(' ')
  if (what.startsWith('/')) return { verb, path: what }
  const [full = '', subresource] = what.split('/')
  const dot = full.indexOf('.')
  const [plural, group] = dot === -1 ? [full, ''] : [full.slice(0, dot), full.slice(dot + 1)]
  return { verb, resource: { group, version: 'v1', plural, namespace: 'web', ...(subresource === undefined ? {} : { subresource }) } }
}

/** The roles that may, in a grant for this namespace alone and in one for all. */
const table: readonly [string, readonly Role[], readonly Role[]][] = [
  ['get nests.demo.aviary.dev', ['view', 'edit', 'admin'], ['view', 'edit', 'admin']],
  ['watch configmaps', ['view', 'edit', 'admin'], ['view', 'edit', 'admin']],
  ['list events', ['view', 'edit', 'admin'], ['view', 'edit', 'admin']],
  ['get secrets', ['edit', 'admin'], ['edit', 'admin']],
  ['list secrets', ['edit', 'admin'], ['edit', 'admin']],
  ['create secrets', ['edit', 'admin'], ['edit', 'admin']],
  ['create nests.demo.aviary.dev', ['edit', 'admin'], ['edit', 'admin']],
  ['deletecollection nests.demo.aviary.dev', ['edit', 'admin'], ['edit', 'admin']],
  ['patch nests.demo.aviary.dev/scale', ['edit', 'admin'], ['edit', 'admin']],
  ['get nests.demo.aviary.dev/status', ['view', 'edit', 'admin'], ['view', 'edit', 'admin']],
  ['update nests.demo.aviary.dev/status', [], ['admin']],
  ['get namespaces', ['view', 'edit', 'admin'], ['view', 'edit', 'admin']],
  ['delete namespaces', [], ['admin']],
  ['update namespaces/finalize', [], ['admin']],
  ['update nodes', ['admin'], ['admin']],
  ['update leases.coordination.k8s.io', ['admin'], ['admin']],
  ['get roles.rbac.authorization.k8s.io', ['view', 'edit', 'admin'], ['view', 'edit', 'admin']],
  ['create rolebindings.rbac.authorization.k8s.io', ['admin'], ['admin']],
  ['get accesstokens.access.aviary.dev', [], ['admin']],
  ['create accessgrants.access.aviary.dev', [], ['admin']],
  ['impersonate users', [], ['admin']],
  ['* *', [], ['admin']],
  ['* *.*', [], ['admin']],
  ['get *.*', [], ['admin']],
  ['get *.demo.aviary.dev', ['view', 'edit', 'admin'], ['view', 'edit', 'admin']],
  ['list *', ['edit', 'admin'], ['edit', 'admin']],
  ['get /metrics', [], ['view', 'edit', 'admin']],
  ['post /metrics', [], ['admin']],
  ['get /aviary/backup', [], ['admin']],
  ['get /debug', [], ['admin']],
]

describe('what a role may do', () => {
  test.each(table)('%s', (text, inNamespace, everywhere) => {
    expect(roleNames.filter(role => roleAllows(role, attempt(text), false))).toEqual(inNamespace)
    expect(roleNames.filter(role => roleAllows(role, attempt(text), true))).toEqual(everywhere)
  })

  test('grows from role to role', () => {
    const lists = table.flatMap(([, inNamespace, everywhere]) => [inNamespace, everywhere])
    expect(lists.filter(roles => roles.includes('view') && !roles.includes('edit'))).toEqual([])
    expect(lists.filter(roles => roles.includes('edit') && !roles.includes('admin'))).toEqual([])
  })
})

describe('what everybody who is known may do', () => {
  test.each(['get /api', 'get /apis/demo.aviary.dev/v1alpha1', 'get /openapi/v3', 'get /version', 'head /readyz', 'get /livez/store'])(
    '%s',
    text => {
      expect(anybodyMay(attempt(text))).toBe(true)
    },
  )
  test.each(['create selfsubjectaccessreviews.authorization.k8s.io', 'create selfsubjectreviews.authentication.k8s.io'])('%s', text => {
    expect(anybodyMay(attempt(text))).toBe(true)
  })
  test.each([
    'post /api',
    'get /metrics',
    'get /',
    'get /apisecret',
    'create subjectaccessreviews.authorization.k8s.io',
    'get nests.demo.aviary.dev',
  ])('but not %s', text => expect(anybodyMay(attempt(text))).toBe(false))
})
