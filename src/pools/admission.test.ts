import { expect, test } from 'vitest'
import { ClusterDeployment, Namespace } from '../kinds/index.ts'
import { admission, admissionRows } from './testing/admission-rows.ts'
import { home, PoolWorld } from './testing/pool-world.ts'

test.each(admissionRows)('$name', async row => {
  const { store } = await PoolWorld.make()
  const refusal = await admission(store, home, row)
  expect(refusal === undefined, refusal).toBe(row.isAllowed)
})

test('a refusal says what is wrong and how it is put right', async () => {
  const { store } = await PoolWorld.make()
  await store.create(Namespace, { metadata: { name: 'a' } })
  const [claimed, shielded] = admissionRows.filter(({ isAllowed }) => !isAllowed)
  expect(await admission(store, 'a', claimed!)).toBe(
    'Invalid: ClusterDeployment.hive.openshift.io "test-create-with-claimed-clusterpoolreference" is invalid: ' +
      'spec.clusterPoolRef.claimName: Invalid value: "test-claim": cannot be set when the cluster is made',
  )
  expect(await admission(store, 'a', shielded!)).toBe(
    'Forbidden: clusterdeployments.hive.openshift.io "test-protected-delete" is forbidden: ' +
      'the annotation hive.openshift.io/protected-delete protects it',
  )
  await expect(store.delete(ClusterDeployment, { namespace: 'a', name: 'test-protected-delete' })).rejects.toMatchObject({
    fix: 'kubectl annotate clusterdeployment test-protected-delete -n a hive.openshift.io/protected-delete-',
  })
})
