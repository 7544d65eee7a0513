import { DurationNotValid, parseDuration, parseTime } from '../../ports/index.ts'
import type { ClusterDeployment } from '../../kinds/index.ts'
import { again, done, isBeingDeleted, next, remove, wait } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import { deleteAfterAnnotation, pauseAnnotation } from '../names.ts'
import { protectionOf } from '../pool/buckets.ts'
import { saysYes } from '../says-yes.ts'
import type { ClusterPass } from './cluster-pass.ts'

/** Somebody wants to look at the cluster, or to mend it, undisturbed: it is neither installed nor removed, nor started or stopped. */
export function heedPause({ object }: ClusterPass): Step<ClusterDeployment> {
  if (!saysYes(object, pauseAnnotation)) return next
  // A cluster that is there waits for nothing.
  if (object.spec.installed && !isBeingDeleted(object)) return done
  const { name, namespace } = object.metadata
  return wait('Provisioned', {
    reason: 'Paused',
    message: `the annotation ${pauseAnnotation} says that nothing is to be done`,
    then: 'it goes on when the annotation is gone',
    unblock: `kubectl annotate clusterdeployment ${name} -n ${namespace} ${pauseAnnotation}-`,
  })
}

/** Deletes a cluster whose time is over, unless something protects it. What is no length of time means none. */
export function heedDeleteAfter({ object, now }: ClusterPass): Step<ClusterDeployment> {
  const { annotations, creationTimestamp } = object.metadata
  const life = lengthOf(annotations?.[deleteAfterAnnotation])
  if (life === undefined || creationTimestamp === undefined || protectionOf(object) !== undefined) return next
  const at = parseTime(creationTimestamp) + life
  return now < at ? again(at) : remove(`its annotation ${deleteAfterAnnotation} says so`)
}

function lengthOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  try {
    return parseDuration(text)
  } catch (error) {
    if (DurationNotValid.is(error)) return undefined
    throw error
  }
}
