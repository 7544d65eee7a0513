import { expect, test } from 'vitest'
import { memoryFiles } from '../ports/index.ts'
import { loadConfig } from './config/load-config.ts'
import { poolKinds } from './pools.ts'

test.each([
  ['somebody names an installer', '[pools.installer]\nkind = "simulated"', true],
  ['somebody says so twice', '[pools]\nenabled = true\n[pools.installer]\nkind = "simulated"', true],
  ['nobody speaks of them', '[log]\nlevel = "warn"', false],
  ['somebody switches them off', '[pools]\nenabled = false\n[pools.installer]\nkind = "simulated"', false],
])('whether pools are kept if %s', async (_, toml, kept) => {
  const config = await loadConfig('/a.toml', { files: memoryFiles({ '/a.toml': toml }), environment: {} })
  expect(poolKinds(config).some(({ name }) => name === 'ClusterPool')).toBe(kept)
})
