import type { ConnectionOptions } from '../connection.ts'
import type { Io } from '../io.ts'
import type { OutputForm } from '../output/forms.ts'
import { run as get } from './get.ts'

/** `aviary cluster list`: each cluster has a namespace of its own, so all are shown. */
export function run(_: readonly string[], options: ConnectionOptions & { readonly output: OutputForm }, io: Io): Promise<number> {
  return get(['clusterdeployments'], { ...options, allNamespaces: options.namespace === undefined }, io)
}
