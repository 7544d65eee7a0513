import type { ClusterPool } from '../../kinds/index.ts'

/** What a pool should be. */
export type Spec = ClusterPool['spec']

/** The pool of the specification's tables (hive-clusterpool §4.0). */
export const base: Spec = {
  platform: { aws: { credentialsSecretRef: { name: 'aws-creds' }, region: 'region' } },
  baseDomain: 'test-domain',
  imageSetRef: { name: 'test-image-set' },
  size: 0,
}
