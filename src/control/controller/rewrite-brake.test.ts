import { describe, expect, test } from 'vitest'
import { seededChance } from '../../ports/index.ts'
import type { Nest } from '../../kinds/index.ts'
import type { Pass } from './controller.ts'
import { braked, RewriteBrake } from './rewrite-brake.ts'
import { condition, report } from './step.ts'

describe('the brake', () => {
  const chance = seededChance(1)
  test('lets through what is new, and what is there already', () => {
    const brake = new RewriteBrake()
    for (let n = 0; n < 100; n++) expect(brake.heldUntil('a', 'other', `${n}`, { now: 0, chance })).toBeUndefined()
    for (let n = 0; n < 100; n++) expect(brake.heldUntil('a', 'same', 'same', { now: 0, chance })).toBeUndefined()
  })

  test('holds back what is said again and again, longer each time, and one object does not hold back another', () => {
    const brake = new RewriteBrake()
    let [now, writes] = [0, 0]
    while (now < 3_600_000) {
      const until = brake.heldUntil('a', 'other', 'mine', { now, chance })
      if (until === undefined) writes++
      now = until ?? now + 1
      if (writes > 1_000) break
    }
    expect(writes).toBeLessThan(120)
    expect(brake.heldUntil('b', 'other', 'mine', { now, chance })).toBeUndefined()
  })

  test('forgets what is gone', () => {
    const brake = new RewriteBrake()
    const ask = () => brake.heldUntil('a', 'other', 'mine', { now: 0, chance })
    for (let n = 0; n < 5; n++) ask()
    expect(ask()).toBeGreaterThan(0)
    brake.forget('a')
    expect(ask()).toBeUndefined()
  })

  test('forgets by itself what nobody spoke of for long, so that objects that come and go do not add up', () => {
    const brake = new RewriteBrake()
    const minute = 60_000
    for (let n = 0; n < 1_000; n++) brake.heldUntil(`claim-${n}`, 'other', 'mine', { now: n * minute, chance })
    expect(brake.size).toBeLessThan(15)
  })
})

describe('what a step says', () => {
  const chance = seededChance(1)
  const said = (hatched: number, reason: string) => [
    report<Nest>({ hatched }),
    condition('Ready', { status: 'False', reason, message: '', until: chance.integer(1, 1_000_000) }),
  ]
  /** How often of many times it is let through, if somebody else always says otherwise. */
  const writes = (outcomes: (round: number) => ReturnType<typeof said>): number => {
    const brake = new RewriteBrake()
    const object = { metadata: { name: 'a' }, spec: {}, status: { hatched: 0, conditions: [] } } as unknown as Nest
    const pass = { object, key: 'a', now: 0, chance, brake } as unknown as Pass<Nest> & { readonly brake: RewriteBrake }
    return Array.from({ length: 20 }, (_, round) => braked(pass, outcomes(round))).filter(
      given => given.length === 2 && given[0]?.status !== undefined,
    ).length
  }

  test('is the same if fields and reasons are, whatever the times in it', () => {
    expect(writes(() => said(1, 'Cold'))).toBeLessThan(6)
  })

  test('is new with every field and every reason', () => {
    expect(writes(round => said(round + 1, 'Cold'))).toBe(20)
    expect(writes(round => said(1, `Cold${round}`))).toBe(20)
  })
})
