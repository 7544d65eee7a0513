import { expect, test } from 'vitest'
import type { Attempt } from './access.ts'
import { rulesAllow } from './rules.ts'

const rules = [
  { apiGroups: ['hive.openshift.io'], resources: ['*'], verbs: ['*'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['kubeconfig'], verbs: ['get'] },
  { apiGroups: [''], resources: ['pods/log', '*/scale'], verbs: ['get'] },
]

const about = (verb: string, group: string, plural: string, name?: string, subresource?: string): Attempt => ({
  verb,
  resource: {
    group,
    version: 'v1',
    plural,
    namespace: 'n',
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  },
})

test.each<[string, Attempt, boolean]>([
  ['everything in a group', about('delete', 'hive.openshift.io', 'clusterdeployments', 'a'), true],
  ['subresources, too, where all resources are meant', about('update', 'hive.openshift.io', 'clusterdeployments', 'a', 'status'), true],
  ['the object that is named', about('get', '', 'secrets', 'kubeconfig'), true],
  ['no other object', about('get', '', 'secrets', 'creds'), false],
  ['not all objects at once', about('list', '', 'secrets'), false],
  ['no other verb', about('delete', '', 'secrets', 'kubeconfig'), false],
  ['no other group', about('get', '', 'configmaps', 'x'), false],
  ['a subresource', about('get', '', 'pods', 'x', 'log'), true],
  ['not the resource itself, where a subresource is meant', about('get', '', 'pods', 'x'), false],
  ['a subresource of anything', about('get', '', 'nests', 'x', 'scale'), true],
  ['no question about everything', about('*', '*', '*'), false],
  ['no plain path', { verb: 'get', path: '/metrics' }, false],
])('rules cover %s', (_, attempt, allowed) => expect(rulesAllow(rules, attempt)).toBe(allowed))
