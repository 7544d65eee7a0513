import { isoTime, parseDuration, parseTime } from '../../ports/index.ts'
import { ClusterDeployment } from '../../kinds/index.ts'
import { again, condition, done, findCondition, next, report } from '../../control/index.ts'
import type { Outcome, Step } from '../../control/index.ts'
import { changingSince } from '../pool/broken.ts'
import { claimNameOf } from '../pool/buckets.ts'
import type { ClusterPass } from './cluster-pass.ts'
import { installerCluster } from './installer-cluster.ts'

/** Has a claimed cluster hibernate when it has run as long as its owner wanted. Unclaimed ones are their pool's business. */
export async function heedHibernateAfter({ object, now, store }: ClusterPass): Promise<Step<ClusterDeployment>> {
  const { hibernateAfter, powerState, clusterPoolRef } = object.spec
  const ready = findCondition(object, 'Ready')
  if (hibernateAfter === undefined || powerState === 'Hibernating' || ready?.status !== 'True') return next
  if (clusterPoolRef !== undefined && claimNameOf(object) === undefined) return next
  const baselines = [ready.lastTransitionTime, object.status?.installedTimestamp, clusterPoolRef?.claimedTimestamp]
  const since = Math.max(...baselines.flatMap(text => (text === undefined ? [] : [parseTime(text)])))
  const at = since + parseDuration(hibernateAfter)
  if (now < at) return again(at)
  await store.update(ClusterDeployment, { ...object, spec: { ...object.spec, powerState: 'Hibernating' } })
  return done
}

/** Starts or stops the cluster's machines, and says how far that has come. Where that cannot be done, clusters always run. */
export async function followPower(pass: ClusterPass): Promise<Step<ClusterDeployment>> {
  const { object, installer, signal, now } = pass
  const wanted = object.spec.powerState === 'Hibernating' ? 'Hibernating' : 'Running'
  const hibernating = findCondition(object, 'Hibernating')
  const current = object.status?.powerState
  const isSettled = current === wanted && findCondition(object, wanted === 'Running' ? 'Ready' : 'Hibernating')?.status === 'True'
  if (isSettled || (hibernating?.reason === 'Unsupported' && current === 'Running')) return next
  const cluster = await installerCluster(pass)
  if (cluster === undefined) return next
  const underWay = wanted === 'Running' ? 'StartingMachines' : 'WaitingForMachinesToStop'
  const since = current === underWay ? (changingSince(object) ?? now) : now
  const state = await installer.power({ ...cluster, wanted, since }, signal)
  switch (state.state) {
    case 'unsupported':
      return running('Unsupported', 'clusters of this installer cannot hibernate')
    case 'Running':
      return running('ResumingOrRunning', 'the cluster runs')
    case 'Hibernating':
      return [
        report({ powerState: 'Hibernating', powerChangeTimestamp: undefined }),
        condition('Hibernating', { status: 'True', reason: 'Hibernating', message: 'the cluster is stopped' }),
        condition('Ready', { status: 'False', reason: 'StoppingOrHibernating', message: 'the cluster is stopped' }),
      ]
    case 'changing': {
      const isStart = wanted === 'Running'
      return [
        report({ powerState: underWay, powerChangeTimestamp: isoTime(since) }),
        condition('Hibernating', { status: 'False', reason: isStart ? 'ResumingOrRunning' : 'Stopping', message: state.message }),
        condition('Ready', {
          status: 'False',
          reason: isStart ? underWay : 'StoppingOrHibernating',
          message: state.message,
          then: isStart ? 'the cluster is ready when all machines run' : 'the cluster hibernates when all machines are off',
        }),
        again(state.again ?? now + 60_000),
      ]
    }
  }
}

/** Says that a cluster runs. */
export function running(reason: string, message: string): readonly Outcome<ClusterDeployment>[] {
  return [
    report({ powerState: 'Running', powerChangeTimestamp: undefined }),
    condition('Hibernating', { status: 'False', reason, message }),
    condition('Ready', { status: 'True', reason: 'Running', message }),
  ]
}
