import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { adminRole } from './controller.ts'

test('the role that administrators of pools are bound to is shipped, with what Hive gives by it', async () => {
  const shipped = parse(await readFile(new URL('../../../deploy/kubernetes/pool-admin.yaml', import.meta.url), 'utf8')) as {
    readonly metadata: { readonly name: string }
    readonly rules: readonly Readonly<Record<'apiGroups' | 'resources' | 'verbs', readonly string[]>>[]
  }
  expect(shipped).toMatchObject({ kind: 'ClusterRole', metadata: { name: adminRole } })
  const given = shipped.rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.map(resource => [[apiGroups.join(), resource].join('/'), verbs.join(' ')]),
  )
  const read = 'get list watch'
  expect(Object.fromEntries(given)).toEqual({
    'batch/jobs': read,
    '/pods': read,
    '/pods/log': read,
    '/configmaps': read,
    '/secrets': read,
    'hive.openshift.io/clusterdeployments': `${read} update patch delete`,
    'hive.openshift.io/clusterprovisions': `${read} update patch delete`,
    'hive.openshift.io/clusterdeprovisions': `${read} update patch delete`,
    'hive.openshift.io/clusterpools': `${read} create update patch delete`,
    'hive.openshift.io/clusterclaims': `${read} create update patch delete`,
  })
})
