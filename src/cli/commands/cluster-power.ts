import { ClusterDeployment } from '../../kinds/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { Usage } from '../errors.ts'
import type { Io } from '../io.ts'

/** `aviary cluster power NAME on|off`: the name of a ClusterDeployment, which is also that of its namespace. */
export async function run([name = '', wanted = '']: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  if (wanted !== 'on' && wanted !== 'off') throw Usage({ what: `"${wanted}" is not understood`, fix: 'write on or off' })
  const powerState = wanted === 'on' ? 'Running' : 'Hibernating'
  await connected(options, io, async ({ store }) => {
    const cluster = await store.get(ClusterDeployment, { namespace: options.namespace ?? name, name })
    const { clusterPoolRef } = cluster.spec
    if (clusterPoolRef !== undefined && clusterPoolRef.claimName === undefined)
      throw Usage({
        what: `cluster ${name} belongs to pool ${clusterPoolRef.poolName}, which decides whether it runs`,
        fix: 'change spec.runningCount of the pool, or claim a cluster',
      })
    await store.update(ClusterDeployment, { ...cluster, spec: { ...cluster.spec, powerState } })
    io.out(`${name} is asked to ${wanted === 'on' ? 'run' : 'hibernate'}\n`)
  })
}
