import { expect, test } from 'vitest'
import { StoreError } from './errors.ts'
import { undefinedIf } from './undefined-if.ts'

const failing = (error: unknown) => Promise.reject(error).catch(undefinedIf('NotFound', 'Conflict'))

test('only the reasons that are named become undefined', async () => {
  expect(await failing(new StoreError('NotFound', 'not there'))).toBeUndefined()
  expect(await failing(new StoreError('Conflict', 'changed'))).toBeUndefined()
  await expect(failing(new StoreError('ServiceUnavailable', 'away'))).rejects.toThrow('away')
  await expect(failing(new TypeError('NotFound'))).rejects.toThrow(TypeError)
})
