import { isoTime } from '../../ports/index.ts'
import { ClusterDeployment, Namespace } from '../../kinds/index.ts'
import type { ClusterPool } from '../../kinds/index.ts'
import { namespaceLabels } from '../cluster-namespace.ts'
import { removalAnnotation, versionAnnotation, versionFormAnnotation } from '../names.ts'
import { home, poolDraft, type PoolWorld } from './pool-world.ts'

/** What a cluster that somebody made before is like. */
export interface Traits {
  readonly state?: 'installing' | 'installed' | 'running' | 'broken'
  /** The version of the pool that it says to be made from; absent: it says nothing. */
  readonly version?: string | undefined
  /** The way in which that was computed, if it says. */
  readonly form?: string
  readonly customization?: string
  readonly claim?: string
  readonly marked?: boolean
  /** Held by somebody, so that it stays when it is deleted; and deleted already if `deleted`. */
  readonly held?: boolean
  readonly deleted?: boolean
  readonly pool?: string | undefined
}

/** Puts a cluster into the world that no controller has made; into a namespace of its own if none is given. */
export async function clusterByHand(world: PoolWorld, name: string, traits: Traits = {}, shared?: string): Promise<ClusterDeployment> {
  const namespace = shared ?? name
  const { state = 'installing', version, form, customization, claim, marked = false, held = false, deleted = false } = traits
  const pool = 'pool' in traits ? traits.pool : 'pool'
  const labels = pool === undefined ? {} : namespaceLabels({ ...poolDraft({}, pool) } as ClusterPool)
  if (shared === undefined) await world.store.create(Namespace, { metadata: { name, labels } })
  const isInstalled = state === 'installed' || state === 'running'
  const annotations = {
    ...(version === undefined ? {} : { [versionAnnotation]: version }),
    ...(form === undefined ? {} : { [versionFormAnnotation]: form }),
    ...(marked ? { [removalAnnotation]: 'true' } : {}),
  }
  const made = await world.store.create(ClusterDeployment, {
    metadata: {
      name,
      namespace,
      annotations,
      // As whoever restores a backup: else nobody may make a cluster that is claimed from the beginning.
      ...(claim === undefined ? {} : { labels: { 'hive.openshift.io/disable-creation-webhook-for-dr': 'true' } }),
      ...(held || deleted ? { finalizers: ['test/hold'] } : {}),
    },
    spec: {
      clusterName: name,
      baseDomain: 'example.com',
      platform: poolDraft().spec.platform,
      installed: isInstalled,
      powerState: state === 'running' ? 'Running' : 'Hibernating',
      provisioning: { installConfigSecretRef: { name: 'x' } },
      ...(isInstalled ? { clusterMetadata: { clusterID: 'c', infraID: 'i', adminKubeconfigSecretRef: { name: 'k' } } } : {}),
      ...(pool === undefined
        ? {}
        : {
            clusterPoolRef: {
              namespace: home,
              poolName: pool,
              ...(claim === undefined ? {} : { claimName: claim }),
              ...(customization === undefined ? {} : { clusterDeploymentCustomization: { name: customization } }),
            },
          }),
    },
  })
  const stopped = { type: 'ProvisionStopped', reason: 'X', message: '', lastTransitionTime: isoTime(world.clock.now()) }
  const status = {
    ...(state === 'running' ? { powerState: 'Running' } : {}),
    conditions: [{ ...stopped, status: state === 'broken' ? ('True' as const) : ('False' as const) }],
  }
  const written = await world.store.update(ClusterDeployment, { ...made, status }, { subresource: 'status' })
  if (deleted) await world.delete(ClusterDeployment, written)
  return written
}
