import type { Metrics } from '../../ports/index.ts'
import { ClusterDeployment, ClusterProvision, Namespace } from '../../kinds/index.ts'
import { controller, indexed, keyText, outside, owned, parseKey } from '../../control/index.ts'
import type { Controller } from '../../control/index.ts'
import { isPoolMember } from '../cluster-namespace.ts'
import { find } from '../find.ts'
import type { Installer } from '../installer/installer.ts'
import { givenUpInstallations } from '../metrics.ts'
import { deprovisionFinalizer } from '../names.ts'
import { poolKeysOf } from '../pool/pool-keys.ts'
import { clusterConditions, type ClusterSnapshot } from './cluster-pass.ts'
import { destroy, heedProtection, leaveLedger } from './deprovision.ts'
import { heedDeleteAfter, heedPause } from './heed-annotations.ts'
import { beginAttempt, declareInstalled, followAttempt, forgetAttempts, heedRemoval, markAttempt } from './install.ts'
import { followPower, heedHibernateAfter } from './power.ts'

/** Turns ClusterDeployments into clusters by an installer, has them run or hibernate, and removes them. */
export function clusterController({ installer, metrics }: { readonly installer: Installer; readonly metrics: Metrics }): Controller {
  const givenUp = givenUpInstallations(metrics)
  return controller<ClusterDeployment, ClusterSnapshot>(ClusterDeployment, {
    conditions: clusterConditions,
    finalizer: deprovisionFinalizer,
    reads: [
      Namespace,
      indexed(ClusterProvision, { byCluster: ({ metadata, spec }) => [`${metadata.namespace}/${spec.clusterDeploymentRef.name}`] }),
    ],
    watches: [owned(ClusterProvision), outside(enqueue => installer.onChange(key => enqueue(parseKey(key))))],
    select: ({ spec }) => spec.provisioning !== undefined || spec.installed,
    snapshot: async ({ object, key, read, store }) => {
      const { namespace = '' } = object.metadata
      const home = read(Namespace).get(namespace) ?? (await find(store, Namespace, undefined, namespace))
      const isMember = isPoolMember(object, home)
      const name = object.status?.provisionRef?.name
      const provision = name === undefined ? undefined : read(ClusterProvision).get(`${object.metadata.namespace}/${name}`)
      const pool = isMember ? (poolKeysOf(object).map(keyText)[0] ?? '') : ''
      const onGivenUp = (reason: string) => givenUp.add({ clusterpool_namespacedname: pool, failure_reason: reason })
      return { installer, provision, isPoolMember: isMember, attempts: read(ClusterProvision).byIndex('byCluster', key), onGivenUp }
    },
    steps: [
      heedPause,
      heedDeleteAfter,
      heedRemoval,
      forgetAttempts,
      beginAttempt,
      markAttempt,
      followAttempt,
      declareInstalled,
      heedHibernateAfter,
      followPower,
    ],
    cleanup: [heedPause, heedProtection, destroy, leaveLedger],
  })
}
