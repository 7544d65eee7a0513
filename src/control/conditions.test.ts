import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Condition } from '../kinds/index.ts'
import { type ConditionChange, conditionsOf, findCondition, setCondition } from './conditions.ts'

const ready: ConditionChange = { type: 'Ready', status: 'False', reason: 'Building', message: 'it is being built' }
const start = setCondition([], ready, { now: 0, generation: 1 })

describe('a condition', () => {
  test('is added with the time and the generation', () => {
    expect(start).toEqual([{ ...ready, lastTransitionTime: '1970-01-01T00:00:00Z', observedGeneration: 1 }])
  })

  test('keeps its time while its status stays, and moves it when the status changes', () => {
    const reworded = setCondition(start, { ...ready, reason: 'Brooding' }, { now: 60_000, generation: 1 })
    expect(reworded[0]).toMatchObject({ reason: 'Brooding', lastTransitionTime: '1970-01-01T00:00:00Z' })
    const met = setCondition(reworded, { ...ready, status: 'True' }, { now: 60_000, generation: 2 })
    expect(met[0]).toMatchObject({ status: 'True', lastTransitionTime: '1970-01-01T00:01:00Z', observedGeneration: 2 })
  })

  test('forgets a wait that is over', () => {
    const waiting = setCondition(start, { ...ready, until: 5_000, then: 'it is done', unblock: 'hurry' }, { now: 0 })
    expect(waiting[0]).toMatchObject({ until: '1970-01-01T00:00:05Z', then: 'it is done', unblock: 'hurry' })
    const over = setCondition(waiting, ready, { now: 0 })
    expect(Object.keys(over[0] ?? {})).toEqual(['type', 'status', 'reason', 'message', 'lastTransitionTime'])
  })

  test('that says nothing new leaves the very same list', () => {
    expect(setCondition(start, ready, { now: 99_000, generation: 1 })).toBe(start)
  })

  test('with a text of any length can be stored', () => {
    const [long] = setCondition([], { ...ready, message: 'x'.repeat(50_000), then: 'y'.repeat(5_000) }, { now: 0 })
    expect([long?.message.length, long?.then?.length]).toEqual([32_768, 1_024])
  })
})

test('objects of any kind can be asked', () => {
  const object = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' } }
  expect(conditionsOf(object)).toEqual([])
  expect(conditionsOf({ ...object, status: { conditions: 'nonsense' } } as never)).toEqual([])
  expect(findCondition({ ...object, status: { conditions: start } } as never, 'Ready')).toBe(start[0])
  expect(findCondition({ ...object, status: { conditions: start } } as never, 'Other')).toBeUndefined()
})

test('whatever is set: one condition per type, others untouched, time moves with status only', () => {
  const change = fc.record({
    type: fc.constantFrom('A', 'B', 'C'),
    status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
    reason: fc.constantFrom('R', 'S'),
    message: fc.constantFrom('m', 'n'),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), changes => {
      let conditions: readonly Condition[] = []
      for (const [now, next] of changes.entries()) {
        const before = conditions
        conditions = setCondition(before, next, { now: now * 1000 })
        const old = before.find(({ type }) => type === next.type)
        const set = conditions.find(({ type }) => type === next.type)
        expect(set).toMatchObject(next)
        expect(set?.lastTransitionTime === old?.lastTransitionTime).toBe(old?.status === next.status)
        expect(conditions.filter(({ type }) => type !== next.type)).toEqual(before.filter(({ type }) => type !== next.type))
      }
      expect(new Set(conditions.map(({ type }) => type)).size).toBe(conditions.length)
    }),
  )
})
