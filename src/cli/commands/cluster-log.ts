import { ClusterDeployment, ClusterProvision } from '../../kinds/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import type { Io } from '../io.ts'

/** `aviary cluster log`: what the installer said in each attempt that is kept, the oldest first. */
export async function run([name = '']: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  await connected(options, io, async ({ store }) => {
    const namespace = options.namespace ?? name
    await store.get(ClusterDeployment, { namespace, name })
    const { items } = await store.list(ClusterProvision, { namespace })
    const attempts = items.map(item => item.object).toSorted((a, b) => a.spec.attempt - b.spec.attempt)
    if (attempts.length === 0) io.err(`Nobody has tried to install ${name} yet.\n`)
    for (const { spec } of attempts) {
      const why = spec.failureMessage === undefined ? '' : `: ${spec.failureMessage}`
      io.out(`attempt ${spec.attempt + 1} is ${spec.stage}${why}\n${spec.installLog === undefined ? '' : `${spec.installLog.trimEnd()}\n`}`)
    }
  })
}
