import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** How large the space for young objects becomes in a process of its own that makes much and keeps some. */
async function youngSpace(limited: boolean): Promise<number> {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { holdYoungSpace, limitYoungSpace } from '${new URL('young-space.ts', import.meta.url).href}'
    if (${limited}) { holdYoungSpace(); limitYoungSpace() }
    let kept = [], largest = 0
    for (let round = 0; round < 400; round++) {
      for (let n = 0; n < 5000; n++) kept[n] = { round, n, text: 'x' + round + n, list: [n, n + 1, n + 2] }
      if (round % 10 === 0) await new Promise(resolve => setImmediate(resolve))
      largest = Math.max(largest, getHeapSpaceStatistics().find(space => space.space_name === 'new_space').space_size)
    }
    console.log(largest)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  return Number(stdout)
}

test('the space for young objects stays small in a server that makes many, and would not by itself', async () => {
  const [limited, free] = await Promise.all([youngSpace(true), youngSpace(false)])
  expect(limited).toBeLessThanOrEqual(16 * 1024 * 1024)
  expect(free).toBeGreaterThan(16 * 1024 * 1024)
})
