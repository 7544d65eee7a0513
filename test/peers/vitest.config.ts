import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The peer groups: tests that use real programs, one file after another, in processes of their own. `npm test -- --group NAME` runs one. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/peers/**/*.test.ts'],
    fileParallelism: false,
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 180_000,
    passWithNoTests: true,
  },
})
