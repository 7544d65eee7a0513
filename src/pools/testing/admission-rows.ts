import { ClusterDeployment } from '../../kinds/index.ts'
import type { Draft } from '../../kinds/index.ts'
import { type Store, StoreError } from '../../store/index.ts'

/** What somebody tries with a ClusterDeployment, and whether it is allowed. */
export interface AdmissionRow {
  readonly name: string
  readonly does: 'create' | 'delete'
  readonly isAllowed: boolean
  readonly claimName?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** Rows of the specification's table (hive-clusterpool §4.7) that no schema can say: an engine has to look at what is done. */
export const admissionRows: readonly AdmissionRow[] = [
  { name: 'Test create with ClusterPoolReference', does: 'create', isAllowed: true },
  { name: 'Test create with Claimed ClusterPoolReference', does: 'create', claimName: 'test-claim', isAllowed: false },
  {
    name: 'Test DR create (restore) with Claimed ClusterPoolReference',
    does: 'create',
    claimName: 'test-claim',
    labels: { 'hive.openshift.io/disable-creation-webhook-for-dr': 'true' },
    isAllowed: true,
  },
  { name: 'Test valid delete', does: 'delete', isAllowed: true },
  {
    name: 'Test protected delete',
    does: 'delete',
    annotations: { 'hive.openshift.io/protected-delete': 'true' },
    isAllowed: false,
  },
  {
    name: 'Test protected delete annotation false',
    does: 'delete',
    annotations: { 'hive.openshift.io/protected-delete': 'false' },
    isAllowed: true,
  },
]

/** Plays a row on a store, in a namespace that is there. The reason and the text of a refusal, or undefined if there was none. */
export async function admission(store: Store, namespace: string, row: AdmissionRow): Promise<string | undefined> {
  const { does, claimName, labels = {}, annotations = {} } = row
  const name = row.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')
  const draft: Draft<ClusterDeployment> = {
    metadata: { name, namespace, labels, annotations },
    spec: {
      clusterName: 'samename',
      baseDomain: 'example.com',
      platform: { none: {} },
      provisioning: { installConfigSecretRef: { name: 'config' } },
      clusterPoolRef: { namespace: 'pool-ns', poolName: 'mypool', ...(claimName === undefined ? {} : { claimName }) },
    },
  }
  try {
    await store.create(ClusterDeployment, draft)
    if (does === 'delete') await store.delete(ClusterDeployment, { namespace, name })
    return undefined
  } catch (error) {
    if (!StoreError.is(error)) throw error
    return `${error.reason}: ${error.message}`
  }
}
