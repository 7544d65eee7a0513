import { StoreError } from '../store/index.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'
import { errorText } from './output/error-text.ts'

/** Objects that were named but are not there. The others are dealt with all the same; then each of these is told of. */
export class MissingObjects {
  readonly #errors: StoreError[] = []

  /** Keeps the error of an object that is not there, and throws any other: for `catch`. */
  readonly note = (error: unknown): undefined => {
    if (!StoreError.is(error, 'NotFound')) throw error
    this.#errors.push(error)
  }

  /** The objects that are found. Those that are not are kept in the order of the lookups, whichever was answered first. */
  async found<T>(lookups: readonly Promise<T>[]): Promise<readonly T[]> {
    const found: T[] = []
    for (const outcome of await Promise.allSettled(lookups)) {
      if (outcome.status === 'fulfilled') found.push(outcome.value)
      else this.note(outcome.reason)
    }
    return found
  }

  /** Tells of each. Returns what the command ends with if all else went well. */
  report(io: Io): ExitCode {
    for (const error of this.#errors) io.err(errorText(error))
    return this.#errors.length === 0 ? exitCodes.ok : exitCodes.notFound
  }
}
