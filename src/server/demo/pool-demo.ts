import { ClusterClaim, ClusterImageSet, ClusterPool, Namespace } from '../../kinds/index.ts'
import type { Draft, Kind, Resource } from '../../kinds/index.ts'
import { controller, done } from '../../control/index.ts'
import type { Controller, Pass, Step } from '../../control/index.ts'
import { undefinedIf } from '../../store/index.ts'

const namespace = 'default'

/** Makes a pool of named clusters and a claim on it, once: what people do with them afterwards stays. */
export function poolDemo(): Controller {
  return controller(Namespace, { name: 'demo-pool', select: ({ metadata }) => metadata.name === namespace, steps: [layOut] })
}

async function layOut({ store }: Pass<Namespace>): Promise<Step<Namespace>> {
  const create = <R extends Resource>(kind: Kind<R>, draft: Draft<R>): Promise<R | undefined> =>
    store.create(kind, draft).catch(undefinedIf('AlreadyExists'))
  const made = await create(ClusterImageSet, {
    metadata: { name: 'demo-release' },
    spec: { releaseImage: 'registry.example.com/release:4.20' },
  })
  if (made === undefined) return done
  await create(ClusterPool, {
    metadata: { name: 'flock', namespace },
    spec: {
      platform: { none: {} },
      baseDomain: 'example.com',
      imageSetRef: { name: 'demo-release' },
      size: 2,
      runningCount: 1,
      maxSize: 4,
      inventory: { clusterDeployments: ['heron', 'ibis', 'stork', 'egret'].map(name => ({ name })) },
    },
  })
  await create(ClusterClaim, { metadata: { name: 'demo', namespace }, spec: { clusterPoolName: 'flock', lifetime: '1h' } })
  return done
}
