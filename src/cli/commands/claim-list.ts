import type { ConnectionOptions } from '../connection.ts'
import type { Io } from '../io.ts'
import type { OutputForm } from '../output/forms.ts'
import { run as get } from './get.ts'

/** `aviary claim list` */
export function run(_: readonly string[], options: ConnectionOptions & { readonly output: OutputForm }, io: Io): Promise<void> {
  return get(['clusterclaims'], options, io)
}
