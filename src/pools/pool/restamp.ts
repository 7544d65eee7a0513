import { ClusterDeployment } from '../../kinds/index.ts'
import type { ClusterPool } from '../../kinds/index.ts'
import { done, next } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import { versionAnnotation, versionFormAnnotation } from '../names.ts'
import { forAll } from './all-settled.ts'
import type { PoolPass } from './pool-pass.ts'
import { versionForm } from './pool-version.ts'

/** What a cluster says about the version of the pool that it was made from. */
export function versionStamp(version: string): Readonly<Record<string, string>> {
  return { [versionAnnotation]: version, [versionFormAnnotation]: String(versionForm) }
}

/** Has clusters whose version was computed in an earlier way say the version of now: an upgrade of this program replaces no cluster. */
export async function restampClusters({ plan, version, store }: PoolPass): Promise<Step<ClusterPool>> {
  const { earlierForm } = plan.buckets
  await forAll(earlierForm, async cluster => {
    const annotations = { ...cluster.metadata.annotations, ...versionStamp(version) }
    await store.update(ClusterDeployment, { ...cluster, metadata: { ...cluster.metadata, annotations } })
  })
  return earlierForm.length === 0 ? next : done
}
