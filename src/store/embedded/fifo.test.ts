import { expect, test } from 'vitest'
import { Fifo } from './fifo.ts'

test('items leave in the order in which they came, also after thousands', () => {
  const fifo = new Fifo<number>()
  let taken = 0
  for (let n = 0; n < 5000; n++) {
    fifo.push(n)
    if (n % 3 !== 0) expect(fifo.shift()).toBe(taken++)
  }
  expect(fifo.length).toBe(5000 - taken)
  expect(fifo.first()).toBe(taken)
  expect(fifo.peek(3)).toEqual([taken, taken + 1, taken + 2])
  expect([...fifo.from(n => n >= 4990)]).toEqual([4990, 4991, 4992, 4993, 4994, 4995, 4996, 4997, 4998, 4999])
  while (fifo.length > 0) expect(fifo.shift()).toBe(taken++)
  expect(fifo.shift()).toBeUndefined()
  expect(fifo.first()).toBeUndefined()
  expect([...fifo.from(() => true)]).toEqual([])
})

test('a cleared one starts anew', () => {
  const fifo = new Fifo<string>()
  fifo.push('a')
  fifo.clear()
  fifo.push('b')
  expect(fifo.length).toBe(1)
  expect(fifo.shift()).toBe('b')
})
