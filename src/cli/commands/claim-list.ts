import type { ConnectionOptions } from '../connection.ts'
import type { Io } from '../io.ts'
import type { OutputForm } from '../output/forms.ts'
import { run as get } from './get.ts'

interface ListOptions extends ConnectionOptions {
  readonly output: OutputForm
  readonly allNamespaces?: boolean
}

/** `aviary claim list` */
export function run(_: readonly string[], options: ListOptions, io: Io): Promise<number> {
  return get(['clusterclaims'], options, io)
}
