import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bareJob } from './bare-job.ts'
import { fairOrder } from './fair-order.ts'
import type { Job } from './job.ts'
import { Turns } from './turns.ts'

function job(id: string, project: string, queued: number): Job {
  return bareJob({ version: 2, id, project, queued })
}

/** Jobs from a text like `A1 A2 B3`: project and time. */
function jobs(text: string): readonly Job[] {
  return text.split(' ').map(each => job(each, each.slice(0, 1), Number(each.slice(1))))
}

const ids = (list: readonly Job[]) => list.map(each => each.id).join(' ')

const queues = fc.uniqueArray(
  fc
    .tuple(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'), fc.nat(50), fc.nat(9999))
    .map(([project, queued, id]) => job(`j${id}`, project, queued)),
  { selector: each => each.id, maxLength: 60 },
)

describe('the fair order', () => {
  test.each([
    ['a busy project does not make another wait', 'A1 A2 A3 B4', 'B4 A1 A2 A3'],
    ['the oldest of a project comes first', 'A3 A1 A2', 'A1 A2 A3'],
    ['projects with equally many take turns by age', 'A1 B2 A3 B4', 'A1 B2 A3 B4'],
    ['fewest jobs first', 'A1 A2 A3 B4 B5 C6', 'C6 B4 B5 A1 A2 A3'],
  ])('%s', (_rule, queue, expected) => expect(ids(fairOrder(jobs(queue)))).toBe(expected))

  test('keeps every job, and puts none behind a project with more, nor an older behind a younger of its own', () => {
    fc.assert(
      fc.property(queues, queue => {
        const ordered = fairOrder(queue)
        expect(ordered.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(queue.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
        const count = (project: string) => queue.filter(each => each.project === project).length
        for (const [index, each] of ordered.entries()) {
          const next = ordered[index + 1]
          if (next === undefined) continue
          expect(count(each.project)).toBeLessThanOrEqual(count(next.project))
          if (each.project === next.project) expect(each.queued).toBeLessThanOrEqual(next.queued)
        }
      }),
    )
  })

  test('does not depend on the order in which jobs are listed', () => {
    fc.assert(
      fc.property(queues, queue => {
        expect(ids(fairOrder(queue.toReversed()))).toBe(ids(fairOrder(queue)))
      }),
    )
  })
})

describe('turns in a long queue', () => {
  test('while there is room for all, all come, in fair order', () => {
    fc.assert(
      fc.property(queues, queue => {
        const turns = new Turns()
        for (let round = 0; round < 3; round++) expect(ids(turns.next(queue, queue.length))).toBe(ids(fairOrder(queue)))
      }),
    )
  })

  test('every project that fits has a job among the chosen, and no more are chosen than asked for', () => {
    fc.assert(
      fc.property(queues, fc.integer({ min: 6, max: 20 }), fc.nat(5), (queue, most, rounds) => {
        const turns = new Turns()
        for (let round = 0; round <= rounds; round++) {
          const chosen = turns.next(queue, most)
          expect(chosen.length).toBe(Math.min(most, queue.length))
          expect(new Set(chosen.map(each => each.project))).toEqual(new Set(queue.map(each => each.project)))
        }
      }),
    )
  })

  test('jobs that cannot start block nobody for ever: each has its turn', () => {
    fc.assert(
      fc.property(queues, fc.integer({ min: 1, max: 20 }), (queue, most) => {
        const turns = new Turns()
        const unseen = new Set(queue.map(each => each.id))
        for (let round = 0; round < queue.length * 6 && unseen.size > 0; round++) {
          for (const each of turns.next(queue, most)) unseen.delete(each.id)
        }
        expect(unseen).toEqual(new Set())
      }),
    )
  })

  test('a job of a small project is looked at in every round, however long the others’ line is', () => {
    const queue = jobs(`${Array.from({ length: 100 }, (_, index) => `A${index}`).join(' ')} B500 B501`)
    const turns = new Turns()
    for (let round = 0; round < 10; round++) expect(ids(turns.next(queue, 20))).toMatch(/^B500 B501 A/)
  })

  test('forgets what has left the queue', () => {
    const turns = new Turns()
    turns.next(jobs('A1 A2 A3'), 2)
    turns.next(jobs('A3'), 2)
    expect(ids(turns.next(jobs('A1 A2 A3'), 2))).toBe('A1 A2')
  })
})
