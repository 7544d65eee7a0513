import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { realFiles } from '../../ports/index.ts'
import { checkConfig, loadConfig } from './load-config.ts'

const example = (name: string) => fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url))
const sources = { files: realFiles(), environment: {} }

test.each(['aviary.example.toml', 'aviary-kubernetes.example.toml'])('the example %s can be used as it is', async name => {
  expect(await checkConfig(example(name), sources)).toEqual([])
})

test('the examples show the engine that they are named after', async () => {
  expect((await loadConfig(example('aviary.example.toml'), sources)).engine.kind).toBe('embedded')
  expect((await loadConfig(example('aviary-kubernetes.example.toml'), sources)).engine.kind).toBe('kubernetes')
})
