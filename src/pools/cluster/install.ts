import { isoTime } from '../../ports/index.ts'
import { ClusterDeployment, ClusterProvision } from '../../kinds/index.ts'
import type { Draft } from '../../kinds/index.ts'
import { condition, done, findCondition, isBeingDeleted, met, next, record, wait } from '../../control/index.ts'
import type { Outcome, Step } from '../../control/index.ts'
import { type Store, undefinedIf } from '../../store/index.ts'
import { find } from '../find.ts'
import { type InstallState, longestLog } from '../installer/installer.ts'
import { forgottenMarksAnnotation, previousMarkAnnotation } from '../names.ts'
import { isMarked } from '../pool/buckets.ts'
import { putSecret } from '../secrets.ts'
import { failedAttempts, isLimitReached, nextAttemptAt } from './attempts.ts'
import { adminSecrets, type ClusterPass } from './cluster-pass.ts'
import { requestOf } from './install-request.ts'
import { running } from './power.ts'

const suffixLength = 5

/** A cluster that is to be removed is not installed first. */
export function heedRemoval({ object }: ClusterPass): Step<ClusterDeployment> {
  if (object.spec.installed || !isMarked(object)) return next
  return wait('Provisioned', { reason: 'Removing', message: 'the cluster is to be removed', then: 'its pool removes it' })
}

/**
 * Of the attempts that failed only the first and the last stay on record, with what they said: there may be no end of them. The marks
 * of the others are written on the first record before: what they left must be removed in the end.
 */
export async function forgetAttempts({ object, attempts, store }: ClusterPass): Promise<Step<ClusterDeployment>> {
  const { namespace = '' } = object.metadata
  const failures = attempts
    .filter(({ metadata, spec }) => spec.stage === 'failed' && metadata.name !== object.status?.provisionRef?.name)
    .toSorted((one, other) => one.spec.attempt - other.spec.attempt)
  const [first, ...others] = failures
  const between = others.slice(0, -1)
  const known = forgottenMarks(attempts)
  const unknown = between.flatMap(({ spec }) => (spec.infraID === undefined || known.includes(spec.infraID) ? [] : [spec.infraID]))
  if (first !== undefined && unknown.length > 0) {
    const annotations = { ...first.metadata.annotations, [forgottenMarksAnnotation]: [...known, ...unknown].join(',') }
    await store.update(ClusterProvision, { ...first, metadata: { ...first.metadata, annotations } })
    return done
  }
  for (const { metadata } of between) {
    await store.delete(ClusterProvision, { namespace, name: metadata.name }).catch(undefinedIf('NotFound'))
  }
  return next
}

/** The marks of attempts that are not on record any more, as the record of the first attempt says. */
export function forgottenMarks(records: readonly (ClusterDeployment | ClusterProvision)[]): readonly string[] {
  return records.flatMap(({ metadata }) => (metadata.annotations?.[forgottenMarksAnnotation] ?? '').split(',').filter(mark => mark !== ''))
}

/** Chooses the name of the next attempt and writes it down, unless attempts are used up or it is too early. */
export function beginAttempt({ object, now, chance, onGivenUp }: ClusterPass): Step<ClusterDeployment> {
  if (isThrough(object) || object.status?.provisionRef !== undefined) return next
  if (findCondition(object, 'ProvisionStopped')?.status === 'True') return done
  if (isLimitReached(object)) {
    const message = `${failedAttempts(object)} attempts failed, the last because ${lastFailure(object)}`
    onGivenUp(findCondition(object, 'ProvisionFailed')?.reason ?? 'UnknownError')
    return [...stopped('InstallAttemptsLimitReached', message), done]
  }
  const at = nextAttemptAt(object)
  if (now < at)
    return wait('Provisioned', {
      reason: 'Provisioning',
      message: `attempt ${failedAttempts(object)} failed because ${lastFailure(object)}`,
      until: at,
      then: 'the next attempt begins',
    })
  const name = `${object.metadata.name.slice(0, 200)}-${failedAttempts(object)}-${chance.suffix(suffixLength)}`
  return [
    condition('ProvisionStopped', { status: 'False', reason: 'ProvisionNotStopped', message: 'Provision is not stopped' }),
    record({
      provisionRef: { name },
      installStartedTimestamp: object.status?.installStartedTimestamp ?? isoTime(now),
      attemptTimestamp: isoTime(now),
    }),
  ]
}

/** Writes the mark of the attempt on the cluster, then makes the attempt's record. Only after that anything is made in the world. */
export async function markAttempt({ object, provision, store, chance }: ClusterPass): Promise<Step<ClusterDeployment>> {
  const name = object.status?.provisionRef?.name
  if (isThrough(object) || name === undefined || provision !== undefined) return next
  const infraID = `${object.spec.clusterName.slice(0, 27)}-${name.slice(-suffixLength)}`
  const before = object.spec.clusterMetadata
  if (before?.infraID !== infraID) {
    const { kubeconfig, password } = adminSecrets(object)
    const clusterMetadata = {
      infraID,
      clusterID: chance.uuid(),
      adminKubeconfigSecretRef: { name: kubeconfig },
      adminPasswordSecretRef: { name: password },
    }
    const prevInfraID = before?.infraID === undefined ? {} : { [previousMarkAnnotation]: before.infraID }
    await store.update(ClusterDeployment, {
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...prevInfraID } },
      spec: { ...object.spec, clusterMetadata },
    })
    return done
  }
  await store.create(ClusterProvision, provisionOf(object, name)).catch(undefinedIf('AlreadyExists'))
  return done
}

function provisionOf(cluster: ClusterDeployment, name: string): Draft<ClusterProvision> {
  const { metadata, spec } = cluster
  const previous = metadata.annotations?.[previousMarkAnnotation]
  return {
    metadata: { name, namespace: metadata.namespace ?? '', ownerReferences: [ownerReference(cluster)] },
    spec: {
      clusterDeploymentRef: { name: metadata.name },
      attempt: failedAttempts(cluster),
      stage: 'provisioning',
      infraID: spec.clusterMetadata!.infraID,
      clusterID: spec.clusterMetadata!.clusterID,
      ...(previous === undefined ? {} : { prevInfraID: previous }),
    },
  }
}

/** What names a cluster as the owner of an object. */
export function ownerReference({ apiVersion, kind, metadata }: ClusterDeployment) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }
}

/** Asks the installer how far the attempt has come, and writes down how it ended. */
export async function followAttempt(pass: ClusterPass): Promise<Step<ClusterDeployment>> {
  const { object, provision, installer, store, signal, now } = pass
  if (isThrough(object) || provision === undefined) return next
  if (provision.spec.stage === 'failed') return failed(provision, pass)
  if (provision.spec.stage === 'complete') return complete(object, provision, now)
  const request = await requestOf(pass, provision)
  if ('lacks' in request)
    return [
      condition('RequirementsMet', { status: 'False', ...request.lacks }),
      wait('Provisioned', {
        reason: 'Provisioning',
        message: request.lacks.message,
        then: 'the installation begins when it is there',
        until: now + 30_000,
      }),
    ]
  if (!(await isStillWanted(object, store))) return done
  const state = await installer.install(request, signal)
  const allMet = condition('RequirementsMet', { status: 'True', reason: 'AllRequirementsMet', message: 'All requirements are met' })
  if (state.state === 'installing') {
    return [
      allMet,
      {
        ...wait('Provisioned', {
          reason: 'Provisioning',
          message: `attempt ${provision.spec.attempt + 1}: ${state.message}`,
          then: 'the cluster is ready when it is through',
          until: state.until,
        }),
        again: state.again ?? now + 60_000,
      },
    ]
  }
  const ended = state.state === 'installed' ? await keepResult(object, provision, state, store) : await keepFailure(provision, state, store)
  return [allMet, ...(ended.spec.stage === 'complete' ? complete(object, ended, now) : failed(ended, pass))]
}

/**
 * Whether the attempt is still the one to follow, asked of the store itself: a replica that hears of things late must not install what
 * another has removed meanwhile.
 */
async function isStillWanted({ metadata, status }: ClusterDeployment, store: Store): Promise<boolean> {
  const latest = await find(store, ClusterDeployment, metadata.namespace, metadata.name)
  if (latest === undefined || latest.metadata.uid !== metadata.uid || isBeingDeleted(latest)) return false
  return latest.status?.provisionRef?.name === status?.provisionRef?.name
}

async function keepResult(
  cluster: ClusterDeployment,
  provision: ClusterProvision,
  { apiURL, consoleURL, kubeconfig, password, log }: Extract<InstallState, { state: 'installed' }>,
  store: Store,
): Promise<ClusterProvision> {
  const { namespace = '' } = cluster.metadata
  const names = adminSecrets(cluster)
  const ownerReferences = [ownerReference(cluster)]
  const keep = (name: string, stringData: Readonly<Record<string, string>>) =>
    putSecret(store, { metadata: { name, namespace, ownerReferences }, stringData })
  await Promise.all([
    keep(names.kubeconfig, { kubeconfig: kubeconfig.reveal() }),
    ...(password === undefined ? [] : [keep(names.password, { username: 'kubeadmin', password: password.reveal() })]),
  ])
  return store.update(ClusterProvision, {
    ...provision,
    spec: {
      ...provision.spec,
      stage: 'complete',
      apiURL,
      ...(consoleURL === undefined ? {} : { webConsoleURL: consoleURL }),
      ...(log === undefined ? {} : { installLog: log.slice(-longestLog) }),
    },
  })
}

function keepFailure(
  provision: ClusterProvision,
  { reason, message, retryable, log }: Extract<InstallState, { state: 'failed' }>,
  store: Store,
): Promise<ClusterProvision> {
  return store.update(ClusterProvision, {
    ...provision,
    spec: {
      ...provision.spec,
      stage: 'failed',
      failureReason: reason,
      failureMessage: message,
      retryable,
      ...(log === undefined ? {} : { installLog: log.slice(-longestLog) }),
    },
  })
}

function complete(cluster: ClusterDeployment, { spec }: ClusterProvision, now: number): readonly Outcome<ClusterDeployment>[] {
  return [
    // What was just installed runs. If it should not, that is seen to next.
    ...(cluster.spec.powerState === 'Hibernating' ? [] : running('ResumingOrRunning', 'the cluster runs')),
    met('Provisioned', { reason: 'Provisioned', message: 'Cluster is provisioned' }),
    condition('ProvisionFailed', { status: 'False', reason: 'ProvisionSucceeded', message: 'the last attempt succeeded' }),
    record({ installedTimestamp: isoTime(now), apiURL: spec.apiURL, webConsoleURL: spec.webConsoleURL }),
  ]
}

function failed({ spec }: ClusterProvision, { now, onGivenUp }: ClusterPass): readonly Outcome<ClusterDeployment>[] {
  const reason = spec.failureReason ?? 'UnknownError'
  const message = spec.failureMessage ?? 'the installer did not say why'
  const told = condition('ProvisionFailed', { status: 'True', reason, message })
  const ended = {
    installRestarts: spec.attempt + 1,
    provisionRef: undefined,
    attemptTimestamp: undefined,
    lastFailureTimestamp: isoTime(now),
  }
  if (spec.retryable !== false) return [told, record(ended)]
  onGivenUp(reason)
  return [told, ...stopped('FailureReasonNotRetryable', message), record(ended)]
}

function stopped(reason: string, message: string) {
  return [
    condition('ProvisionStopped', { status: 'True', reason, message }),
    condition('Provisioned', {
      status: 'False',
      reason: 'ProvisionStopped',
      message: 'Provisioning is not tried again',
      then: 'a pool replaces the cluster; nothing happens otherwise',
    }),
  ]
}

/** The status was told that the cluster is installed; now the spec is. Taken back never. */
export async function declareInstalled({ object, store }: ClusterPass): Promise<Step<ClusterDeployment>> {
  if (object.spec.installed) return next
  await store.update(ClusterDeployment, { ...object, spec: { ...object.spec, installed: true } })
  return done
}

function isThrough({ spec, status }: ClusterDeployment): boolean {
  return spec.installed || status?.installedTimestamp !== undefined
}

function lastFailure(cluster: ClusterDeployment): string {
  return findCondition(cluster, 'ProvisionFailed')?.message ?? 'of something that was not told'
}
