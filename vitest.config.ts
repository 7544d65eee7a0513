import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/runner/longest-first.ts'

/** The fast group: everything that needs neither a peer nor more than a moment. `test/peers/` has its own runner. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/rules/**/*.test.ts'],
    exclude: ['**/*.long.test.ts'],
    isolate: false,
    // Node runs the code as it does in the program, without a transformation, which costs time and hides what Node would refuse.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'threads',
    // Left to itself vitest leaves one core idle, which is half of a small machine.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    testTimeout: 20_000,
    passWithNoTests: true,
  },
})
