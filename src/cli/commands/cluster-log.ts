import { ClusterDeployment, ClusterDeprovision, ClusterProvision } from '../../kinds/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import type { Io } from '../io.ts'

/** `aviary cluster log`: what the installer said in each attempt that is kept, the oldest first, and when it removed the cluster. */
export async function run([name = '']: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  await connected(options, io, async ({ store }) => {
    const namespace = options.namespace ?? name
    await store.get(ClusterDeployment, { namespace, name })
    const { items } = await store.list(ClusterProvision, { namespace })
    const attempts = items
      .map(({ object }) => object)
      .filter(({ spec }) => spec.clusterDeploymentRef.name === name)
      .toSorted((a, b) => a.spec.attempt - b.spec.attempt)
    if (attempts.length === 0) io.err(`Nobody has tried to install ${name} yet.\n`)
    for (const { spec } of attempts) {
      const why = spec.failureMessage === undefined ? '' : `: ${spec.failureMessage}`
      io.out(`attempt ${spec.attempt + 1} is ${spec.stage}${why}\n${textOf(spec.installLog)}`)
    }
    for (const { object } of (await store.list(ClusterDeprovision, { namespace })).items) {
      const { metadata, spec, status } = object
      if (metadata.ownerReferences?.some(owner => owner.name === name) !== true) continue
      io.out(`the removal of ${spec.infraID} is ${status?.completed === true ? 'complete' : 'under way'}\n${textOf(status?.log)}`)
    }
  })
}

function textOf(log: string | undefined): string {
  return log === undefined || log.trim() === '' ? '' : `${log.trimEnd()}\n`
}
