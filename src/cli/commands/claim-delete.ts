import type { ConnectionOptions } from '../connection.ts'
import type { Io } from '../io.ts'
import { run as remove } from './delete.ts'

interface DeleteOptions extends ConnectionOptions {
  readonly wait: boolean
  readonly timeout: string
}

/** `aviary claim delete`: gives the cluster back; it is removed. */
export async function run(names: readonly string[], options: DeleteOptions, io: Io): Promise<number> {
  return await remove(['clusterclaims', ...names], options, io)
}
