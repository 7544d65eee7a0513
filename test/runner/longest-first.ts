import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of a few lines whose tests are long. */
const longThoughShort = /\/rehearsal\/seeds-\d+\.test\.ts$/

/**
 * Begins with what takes longest, so that no core waits for another at the end. Vitest knows from the last run what that is; in a
 * fresh clone it guesses by the size of files, and would run the rehearsals last.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- no sort of an array, but vitest's own order
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => longThoughShort.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))]
  }
}
