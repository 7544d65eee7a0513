import { parseDuration, parseTime } from '../../ports/index.ts'
import { Nest } from '../../kinds/index.ts'
import { findCondition } from '../conditions.ts'
import { controller, type Pass } from '../controller/controller.ts'
import { done, met, next, record, report, type Step, wait } from '../controller/step.ts'

/** Milliseconds that it takes to build a nest. */
const building = 60_000
const defaultIncubation = '10m'

/**
 * The example of a controller: a nest is built, then its eggs are brooded, then they hatch. Nothing but time is needed, and every
 * wait says so.
 */
export const nestController = controller(Nest, { conditions: { Ready: 'True' }, steps: [heedPause, build, brood, hatch] })

/** Leaves a paused nest alone. */
function heedPause({ object }: Pass<Nest>): Step<Nest> {
  if (object.spec.paused !== true) return next
  return wait('Ready', {
    reason: 'Paused',
    message: 'somebody paused this nest',
    then: 'work goes on where it stopped',
    unblock: 'set spec.paused to false',
  })
}

/** A minute after its creation a nest is built. */
function build({ object, now }: Pass<Nest>): Step<Nest> {
  if (object.status?.phase === undefined) return record({ phase: 'Building', hatched: 0 })
  const until = parseTime(object.metadata.creationTimestamp ?? '') + building
  if (object.status.phase !== 'Building') return next
  if (now >= until) return record({ phase: 'Brooding' })
  return wait('Ready', {
    reason: 'Building',
    message: `the nest is being built of ${object.spec.material}`,
    until,
    then: 'the eggs are brooded',
  })
}

/** Counts from when the brooding began, which is when the condition changed its reason. */
function brood({ object, now }: Pass<Nest>): Step<Nest> {
  if (object.status?.phase !== 'Brooding') return next
  const until = parseTime(object.metadata.creationTimestamp ?? '') + building + parseDuration(object.spec.incubation ?? defaultIncubation)
  if (now >= until) return next
  return wait('Ready', { reason: 'Brooding', message: `${object.spec.eggs} eggs are being brooded`, until, then: 'they hatch' })
}

function hatch({ object, event }: Pass<Nest>): Step<Nest> {
  if (object.status?.phase === 'Hatched' && object.status.hatched === object.spec.eggs) return done
  if (findCondition(object, 'Ready')?.status !== 'True') event('Normal', 'Hatched', `${object.spec.eggs} eggs have hatched`)
  return [report({ phase: 'Hatched', hatched: object.spec.eggs }), met('Ready', { reason: 'Hatched', message: 'all eggs have hatched' })]
}
