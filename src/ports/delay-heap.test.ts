import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DelayHeap, type Delayed } from './delay-heap.ts'

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
