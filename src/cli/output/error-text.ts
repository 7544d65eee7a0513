import { Failure } from '../../ports/index.ts'

/** What a person reads when a command fails: what happened, then what to do about it. */
export function errorText(error: unknown): string {
  if (!(error instanceof Failure)) return `error: ${error instanceof Error ? error.message : String(error)}\n`
  return `error: ${error.message}\n${error.fix === undefined ? '' : `fix: ${error.fix}\n`}`
}
