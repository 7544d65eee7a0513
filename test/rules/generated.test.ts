import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { filesInGeneratedFolders, generatedFiles } from '../generate.ts'

const root = resolve(import.meta.dirname, '../..')

test('every generated file is what `npm run generate` would write now', async () => {
  const files = await generatedFiles()
  expect(files.size).toBeGreaterThan(0)
  for (const [path, content] of files) {
    const present = await readFile(join(root, path), 'utf8').catch(() => 'there is no such file')
    expect(present, `${path} is out of date: run npm run generate`).toBe(content)
  }
})

test('nothing stands in a folder of generated files that no generator writes', async () => {
  const files = await generatedFiles()
  const strangers = (await filesInGeneratedFolders()).filter(path => !files.has(path))
  expect(strangers).toEqual([])
})
