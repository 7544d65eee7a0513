import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Delayed, DelayHeap, type HeapTimer, TimerHeap } from './delay-heap.ts'

test('whatever is added and taken out from wherever, items leave by due time, then by order', () => {
  const command = fc.oneof(
    fc.record({ do: fc.constant('add' as const), due: fc.nat(20) }),
    fc.record({ do: fc.constant('remove' as const), which: fc.nat(50) }),
  )
  fc.assert(
    fc.property(fc.array(command, { maxLength: 120 }), commands => {
      const heap = new DelayHeap<Delayed>()
      const inside: Delayed[] = []
      for (const [order, next] of commands.entries()) {
        if (next.do === 'add') {
          const item = { due: next.due, order, place: -1 }
          heap.add(item)
          inside.push(item)
        } else {
          const [item] = inside.splice(next.which % (inside.length + 1), 1)
          if (item !== undefined) heap.remove(item)
        }
        expect(heap.size).toBe(inside.length)
      }
      const left: Delayed[] = []
      for (let first = heap.first(); first !== undefined; first = heap.first()) {
        heap.remove(first)
        left.push(first)
      }
      expect(left).toEqual(inside.toSorted((a, b) => a.due - b.due || a.order - b.order))
    }),
  )
})

test('a heap behaves like a sorted list, whatever is added, taken and called off', () => {
  const commands = fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('add' as const), value: fc.integer({ min: 0, max: 50 }) }),
      fc.record({ type: fc.constant('take' as const), value: fc.constant(0) }),
      fc.record({ type: fc.constant('cancel' as const), value: fc.nat() }),
    ),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(commands, list => {
      const heap = new TimerHeap()
      const all: HeapTimer[] = []
      let model: HeapTimer[] = []
      for (const { type, value } of list) {
        if (type === 'add') {
          const timer = heap.add(value, () => {})
          all.push(timer)
          model = [...model, timer].toSorted((a, b) => a.due - b.due || a.order - b.order)
        } else if (type === 'take') {
          expect(heap.take()).toBe(model.shift())
        } else if (all.length > 0) {
          const timer = all[value % all.length] as HeapTimer
          timer.cancel()
          model = model.filter(other => other !== timer)
        }
        expect(heap.size).toBe(model.length)
        expect(heap.first()).toBe(model[0])
      }
    }),
  )
})

test('a large heap of which a part is called off gives out the rest in order', () => {
  const dues = fc.array(fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.boolean()), { minLength: 50, maxLength: 300 })
  fc.assert(
    fc.property(dues, entries => {
      const heap = new TimerHeap()
      const timers = entries.map(([due, isCalledOff]) => ({ timer: heap.add(due, () => {}), isCalledOff }))
      for (const { timer, isCalledOff } of timers) if (isCalledOff) timer.cancel()
      const left = timers.filter(({ isCalledOff }) => !isCalledOff).map(({ timer }) => timer)
      const inOrder = left.toSorted((a, b) => a.due - b.due || a.order - b.order)
      expect(Array.from(left, () => heap.take())).toEqual(inOrder)
    }),
  )
})

test('what is called off takes no room', () => {
  const heap = new TimerHeap()
  for (let count = 0; count < 1000; count++) heap.add(count, () => {}).cancel()
  expect(heap.size).toBe(0)
})
