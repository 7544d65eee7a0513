import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

test('only the first of each group is looked at, however many stand behind it', () => {
  const queue = new FairQueue<number>()
  for (let item = 0; item < 1_000; item++) queue.add('owner', item % 2 === 0 ? 'even' : 'odd', item)
  const asked: number[] = []
  const taken = queue.take(first => {
    asked.push(first)
    return first % 2 === 0 ? undefined : first
  })
  expect([asked, taken]).toEqual([[0, 1], 1])
})

test('who of a group may go need not be the first of it', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a', 'b', 'c']) queue.add('owner', 'all', item)
  expect(queue.take(() => 'b')).toBe('b')
  expect(queue.inOrder()).toEqual(['a', 'c'])
})

interface Item {
  readonly owner: string
  group: string
}

const groups = ['x', 'y', 'z']
const action = fc.oneof(
  fc.record({ do: fc.constant('add' as const), owner: fc.constantFrom('a', 'b', 'c'), group: fc.constantFrom(...groups) }),
  fc.record({ do: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ do: fc.constant('regroup' as const), which: fc.nat(), group: fc.constantFrom(...groups) }),
  fc.record({ do: fc.constant('take' as const), open: fc.subarray(groups) }),
)

test('whatever comes and goes, it serves whom a look at everybody would serve', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), actions => {
      const queue = new FairQueue<Item>()
      /** Owners in the order of turns, and everybody in the order in which they came. */
      let turns: string[] = []
      let all: Item[] = []
      const leave = (item: Item) => {
        all = all.filter(other => other !== item)
        if (!all.some(({ owner }) => owner === item.owner)) turns = turns.filter(owner => owner !== item.owner)
      }
      for (const next of actions) {
        const item = 'which' in next ? all[next.which % all.length] : undefined
        if (next.do === 'add') {
          const { owner, group } = next
          const added = { owner, group }
          queue.add(owner, group, added)
          if (!turns.includes(owner)) turns.push(owner)
          all.push(added)
        } else if (next.do === 'take') {
          const mayGo = ({ group }: Item) => next.open.includes(group)
          const expected = turns.flatMap(owner => all.filter(other => other.owner === owner)).find(mayGo)
          expect(queue.take(first => (mayGo(first) ? first : undefined))).toBe(expected)
          if (expected === undefined) continue
          leave(expected)
          if (turns.includes(expected.owner)) turns = [...turns.filter(owner => owner !== expected.owner), expected.owner]
        } else if (item !== undefined && next.do === 'regroup') {
          item.group = next.group
          queue.regroup(item, next.group)
        } else if (item !== undefined) {
          queue.remove(item)
          leave(item)
        }
      }
      const rest: Item[] = []
      for (let taken = queue.take(first => first); taken !== undefined; taken = queue.take(first => first)) rest.push(taken)
      expect(rest).toHaveLength(all.length)
    }),
  )
})
