import { ClusterDeployment } from '../../kinds/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { editObject } from '../edit-object.ts'
import { Usage } from '../errors.ts'
import type { Io } from '../io.ts'

/** `aviary cluster power NAME on|off`: the name of a ClusterDeployment, which is also that of its namespace. */
export async function run([name = '', wanted = '']: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  if (wanted !== 'on' && wanted !== 'off') throw Usage({ what: `"${wanted}" is not understood`, fix: 'write on or off' })
  const powerState = wanted === 'on' ? ('Running' as const) : ('Hibernating' as const)
  await connected(options, io, async ({ store }) => {
    await editObject(store, ClusterDeployment, { namespace: options.namespace ?? name, name }, cluster => {
      const { clusterPoolRef } = cluster.spec
      if (clusterPoolRef !== undefined && clusterPoolRef.claimName === undefined)
        throw Usage({
          what: `cluster ${name} belongs to pool ${clusterPoolRef.poolName}, which decides whether it runs`,
          fix: 'change spec.runningCount of the pool, or claim a cluster',
        })
      return { ...cluster, spec: { ...cluster.spec, powerState } }
    })
    io.out(`${name} is asked to ${wanted === 'on' ? 'run' : 'hibernate'}\n`)
  })
}
