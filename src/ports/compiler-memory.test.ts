import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('V8 knows the flag by which the compiler gives its memory back at once, and says nothing', async () => {
  const script = `
    import { releaseCompilerMemoryAtOnce } from '${import.meta.resolve('./compiler-memory.ts')}'
    releaseCompilerMemoryAtOnce()
    console.log('done')`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  expect({ stdout, stderr }).toEqual({ stdout: 'done\n', stderr: '' })
})
