import { expect, test } from 'vitest'
import { StoreError } from '../store/index.ts'
import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'
import { MissingObjects } from './missing-objects.ts'

test('objects that are not there are told of in the order in which they were named, whichever answer came first', async () => {
  const slow = Promise.withResolvers<string>()
  const missing = new MissingObjects()
  const found = missing.found([slow.promise, Promise.resolve('here'), Promise.reject(new StoreError('NotFound', 'second'))])
  await Promise.resolve()
  slow.reject(new StoreError('NotFound', 'first'))
  expect(await found).toEqual(['here'])
  let told = ''
  expect(missing.report({ err: (text: string) => (told += text) } as unknown as Io)).toBe(exitCodes.notFound)
  expect(told).toBe('error: first\nerror: second\n')
})

test('any other trouble is thrown', async () => {
  const trouble = new StoreError('Forbidden', 'closed')
  await expect(new MissingObjects().found([Promise.reject(trouble)])).rejects.toBe(trouble)
})
