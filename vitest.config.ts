import { defineConfig } from 'vitest/config'

/** The fast group: everything that needs neither a peer nor more than a moment. `test/peers/` has its own runner. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/rules/**/*.test.ts'],
    isolate: false,
    pool: 'threads',
    testTimeout: 20_000,
    passWithNoTests: true,
  },
})
