import { defineConfig } from 'vitest/config'
import fast from './vitest.config.ts'

/** The long group: what needs no peer either, but seconds, because it waits for real, starts processes, or tells many stories. */
export default defineConfig({ test: { ...fast.test, include: ['{src,test/rules}/**/*.long.test.ts'], exclude: [] } })
