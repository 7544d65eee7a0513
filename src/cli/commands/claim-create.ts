import { parseDuration } from '../../ports/index.ts'
import { ClusterClaim, ClusterDeployment, ClusterPool } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'
import { type Store, StoreError } from '../../store/index.ts'
import type { Connection, ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { Usage, WaitedTooLong } from '../errors.ts'
import type { Io } from '../io.ts'
import { Progress } from '../output/progress.ts'
import { until } from '../until.ts'

interface ClaimOptions extends ConnectionOptions {
  readonly pool: string
  readonly lifetime?: string
  readonly user: readonly string[]
  readonly group: readonly string[]
  readonly wait?: boolean
  readonly timeout: string
}

/** `aviary claim create`: with --wait until the cluster runs; then it says where the kubeconfig is. */
export async function run([name = '']: readonly string[], options: ClaimOptions, io: Io): Promise<void> {
  const timeout = parseDuration(options.timeout)
  // Before anything is asked: the refusal says how a duration is written.
  if (options.lifetime !== undefined) parseDuration(options.lifetime)
  const subjects = [
    ...options.user.map(user => ({ kind: 'User' as const, name: user })),
    ...options.group.map(group => ({ kind: 'Group' as const, name: group })),
  ]
  await connected(options, io, async connection => {
    const { store, namespace } = connection
    await expectPool(store, namespace, options.pool)
    await store.create(ClusterClaim, {
      metadata: { name, namespace },
      spec: {
        clusterPoolName: options.pool,
        ...(options.lifetime === undefined ? {} : { lifetime: options.lifetime }),
        ...(subjects.length === 0 ? {} : { subjects }),
      },
    })
    if (options.wait !== true)
      return io.out(`claim ${name} created; aviary claim kubeconfig ${name} prints the way to its cluster when it has one\n`)
    const claim = await follow(connection, name, timeout, io)
    const { spec, status } = await store.get(ClusterDeployment, { namespace: claim.spec.namespace ?? '', name: claim.spec.namespace ?? '' })
    io.out(`claim ${name} has cluster ${spec.clusterName}, which runs at ${status?.apiURL ?? 'an unknown place'}\n`)
    io.out(
      `kubeconfig: secret ${spec.clusterMetadata?.adminKubeconfigSecretRef.name} in namespace ${claim.spec.namespace}; print it with: aviary claim kubeconfig ${name}\n`,
    )
  })
}

/** A pool that is not there is a slip of the pen, and the claim would wait for ever. Who may not see pools may claim all the same. */
async function expectPool(store: Store, namespace: string, name: string): Promise<void> {
  try {
    await store.get(ClusterPool, { namespace, name })
  } catch (error) {
    if (StoreError.is(error, 'NotFound'))
      throw new StoreError('NotFound', `there is no pool ${name} in namespace ${namespace}`, {
        fix: 'see which there are: aviary pool list',
      })
    if (!StoreError.is(error, 'Forbidden')) throw error
  }
}

async function follow({ store, namespace }: Connection, name: string, timeout: number, io: Io): Promise<ClusterClaim> {
  const progress = new Progress(io)
  let claim = await store.get(ClusterClaim, { namespace, name })
  const inTime = await until(timeout, io, async () => {
    claim = await store.get(ClusterClaim, { namespace, name })
    const [pending, running] = [findCondition(claim, 'Pending'), findCondition(claim, 'ClusterRunning')]
    progress.show(
      pending?.status === 'False' ? (running?.message ?? 'Cluster claimed') : (pending?.message ?? 'the claim was not looked at yet'),
    )
    if (running?.reason === 'ClusterDeleted' || running?.reason === 'ClusterDeleting')
      throw Usage({
        what: `the cluster of claim ${name} is gone`,
        fix: `delete the claim (aviary claim delete ${name}) and make a new one`,
      })
    return pending?.status === 'False' && running?.status === 'True'
  })
  progress.clear()
  if (!inTime) throw WaitedTooLong({ what: `a running cluster for claim ${name}`, seconds: timeout / 1000 })
  return claim
}
