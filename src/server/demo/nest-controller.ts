import { parseDuration, parseTime } from '../../ports/index.ts'
import { Nest } from '../../kinds/index.ts'
import { again, controller, findCondition, indexed, mapped, met, next, record, remove, report, wait } from '../../control/index.ts'
import type { Controller, Pass, Step } from '../../control/index.ts'
import { seasonLabel } from './season.ts'

type NestPass = Pass<Nest> & { readonly pace: number; readonly rival: Nest | undefined }

const timeToBuild = { twig: 1, moss: 1.5, down: 2 } as const

/**
 * Walks nests through their phases: a tree is found, the nest is built, the eggs are brooded one by one, and the chicks of the demo's
 * own nests fly away in the end. Nothing happens in the world; every wait says what it is for, as a real service's would.
 */
export function nestController({ pace }: { readonly pace: number }): Controller {
  return controller<Nest, Omit<NestPass, keyof Pass<Nest>>>(Nest, {
    name: 'demo-nest',
    conditions: { Ready: 'True' },
    reads: [indexed(Nest, { byTree: treesOf })],
    // Whoever waits for a tree wants to know when the one before it is through.
    watches: [mapped(Nest, (nest, read) => inSameTree(nest, read).map(keyOfNest))],
    snapshot: ({ object, read }) => ({ pace, rival: rivalOf(object, inSameTree(object, read)) }),
    steps: [heedPause, findTree, build, brood, fledge],
  })
}

/** Leaves a nest alone that somebody paused. */
function heedPause({ object }: NestPass): Step<Nest> {
  if (object.spec.paused !== true || object.status?.phase === 'Hatched') return next
  return wait('Ready', {
    reason: 'Paused',
    message: 'somebody set spec.paused',
    then: 'nothing, until it is taken away',
    unblock: `kubectl patch nest ${object.metadata.name} --type merge -p '{"spec":{"paused":false}}'`,
  })
}

/** There is room for one nest at a time in a tree. */
function findTree({ object, rival }: NestPass): Step<Nest> {
  if (object.status?.phase !== undefined || rival === undefined) return next
  const { namespace, name } = rival.metadata
  return wait('Ready', {
    reason: 'TreeTaken',
    message: `Nest/${namespace}/${name} was in ${object.spec.site} first and has not hatched yet`,
    then: 'building begins when it has',
    unblock: `see what Nest/${namespace}/${name} waits for, or delete it`,
  })
}

function build({ object, now, pace }: NestPass): Step<Nest> {
  const { phase } = object.status ?? {}
  if (phase === undefined) return record({ phase: 'Building', hatched: 0 })
  if (phase !== 'Building') return next
  const until = plannedEnd(object, 'Building') ?? now + pace * timeToBuild[object.spec.material]
  if (now >= until) return record({ phase: 'Brooding' })
  return wait('Ready', {
    reason: 'Building',
    message: `${object.spec.material} is being carried in and woven`,
    until,
    then: 'the eggs are laid',
  })
}

function brood(pass: NestPass): Step<Nest> {
  const { object, now, pace, event } = pass
  const { eggs, incubation } = object.spec
  const planned = plannedEnd(object, 'Brooding')
  const isDue = planned !== undefined && now >= planned
  const before = Math.min(object.status?.hatched ?? 0, eggs)
  const hatched = isDue && before < eggs ? before + 1 : before
  if (hatched > before) event('Normal', 'Hatched', `egg ${hatched} of ${eggs} has hatched`)
  if (hatched === eggs) {
    return [
      report({ phase: 'Hatched', hatched }),
      met('Ready', { reason: 'Hatched', message: eggs === 0 ? 'there is no egg to hatch' : 'all eggs have hatched' }),
    ]
  }
  const until = planned === undefined || isDue ? now + (incubation === undefined ? pace : parseDuration(incubation)) : planned
  const then = hatched + 1 === eggs ? 'it hatches and the nest is complete' : 'it hatches, and the next one is brooded'
  return [
    report({ phase: 'Brooding', hatched }),
    wait('Ready', { reason: 'Brooding', message: `egg ${hatched + 1} of ${eggs} is being brooded`, until, then }),
  ]
}

/** The demo's own nests make room for those of the next season; nests that people made stay. */
function fledge({ object, now, pace }: NestPass): Step<Nest> {
  const ready = findCondition(object, 'Ready')
  if (object.metadata.labels?.[seasonLabel] === undefined) return next
  const hatchedAt = ready?.status === 'True' ? parseTime(ready.lastTransitionTime) : now
  const leavesAt = hatchedAt + 3 * pace
  return now >= leavesAt ? remove('its chicks have flown') : again(leavesAt)
}

/** When the wait of this name ends, as an earlier pass wrote it down; undefined if there was none. */
function plannedEnd(object: Nest, reason: string): number | undefined {
  const ready = findCondition(object, 'Ready')
  return ready?.reason === reason && ready.until !== undefined ? parseTime(ready.until) : undefined
}

/** The tree that a nest is in, if any, by a name that is unique among all namespaces. */
function treesOf({ metadata, spec }: Nest): readonly string[] {
  return spec.site === undefined ? [] : [`${metadata.namespace}/${spec.site}`]
}

function inSameTree(nest: Nest, read: Pass<Nest>['read']): readonly Nest[] {
  return treesOf(nest).flatMap(tree => read(Nest).byIndex('byTree', tree))
}

/** The oldest other nest in the tree that was there before and is not through yet. */
function rivalOf(nest: Nest, inTree: readonly Nest[]): Nest | undefined {
  const others = inTree.filter(
    other => other.metadata.uid !== nest.metadata.uid && other.status?.phase !== 'Hatched' && cameBefore(other, nest),
  )
  return others.toSorted((a, b) => (cameBefore(a, b) ? -1 : 1))[0]
}

function cameBefore(a: Nest, b: Nest): boolean {
  const age = (nest: Nest) => `${nest.metadata.creationTimestamp} ${nest.metadata.name}`
  return age(a) < age(b)
}

function keyOfNest({ metadata }: Nest): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name }
}
