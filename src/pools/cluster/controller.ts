import { ClusterDeployment, ClusterProvision } from '../../kinds/index.ts'
import { controller, outside, owned, parseKey } from '../../control/index.ts'
import type { Controller } from '../../control/index.ts'
import type { Installer } from '../installer/installer.ts'
import { deprovisionFinalizer } from '../names.ts'
import { clusterConditions, type ClusterSnapshot } from './cluster-pass.ts'
import { destroy, heedProtection, leaveLedger } from './deprovision.ts'
import { beginAttempt, declareInstalled, followAttempt, heedRemoval, markAttempt } from './install.ts'
import { followPower, heedHibernateAfter } from './power.ts'

/** Turns ClusterDeployments into clusters by an installer, has them run or hibernate, and removes them. */
export function clusterController({ installer }: { readonly installer: Installer }): Controller {
  return controller<ClusterDeployment, ClusterSnapshot>(ClusterDeployment, {
    conditions: clusterConditions,
    finalizer: deprovisionFinalizer,
    watches: [owned(ClusterProvision), outside(enqueue => installer.onChange(key => enqueue(parseKey(key))))],
    select: ({ spec }) => spec.provisioning !== undefined || spec.installed,
    snapshot: ({ object, read }) => {
      const name = object.status?.provisionRef?.name
      const provision = name === undefined ? undefined : read(ClusterProvision).get(`${object.metadata.namespace}/${name}`)
      return { installer, provision }
    },
    steps: [heedRemoval, beginAttempt, markAttempt, followAttempt, declareInstalled, heedHibernateAfter, followPower],
    cleanup: [heedProtection, destroy, leaveLedger],
  })
}
