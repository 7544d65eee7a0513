import { ClusterDeploymentCustomization, ClusterPool } from '../../kinds/index.ts'
import { dnsRecords } from '../../pools/index.ts'
import { realResolver } from '../../ports/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { tableText } from '../output/table.ts'

interface DnsOptions extends ConnectionOptions {
  readonly check?: boolean
}

/** `aviary pool dns`: the records that an administrator must have, and on request whether they are there. */
export async function run([name = '']: readonly string[], options: DnsOptions, io: Io): Promise<number> {
  const { baseDomain, records } = await connected(options, io, async ({ store, where }) => {
    const pool = await store.get(ClusterPool, { ...where(ClusterPool), name })
    // Only entries without a name of their own need them, and many pools have none.
    const isNameless = pool.spec.inventory?.clusterDeployments?.some(({ generateName }) => generateName === true) === true
    const { items } = isNameless ? await store.list(ClusterDeploymentCustomization, where(ClusterDeploymentCustomization)) : { items: [] }
    const customizations = items.map(({ object }) => object)
    return { baseDomain: pool.spec.baseDomain, records: dnsRecords(pool, customizations) }
  })
  if (records.length === 0) {
    io.err(`The pool ${name} has no inventory: its clusters have generated names.\n`)
    return exitCodes.ok
  }
  const resolve = realResolver()
  const rows = await Promise.all(
    records.map(async ({ cluster, host, addresses }) => {
      const found = options.check === true ? await resolve(host.replace('*', 'any'), io.signal).catch(() => []) : undefined
      const isRight = found !== undefined && found.length > 0 && addresses.every(address => found.includes(address))
      const result = found === undefined ? [] : [isRight ? 'ok' : found.length === 0 ? 'missing' : `wrong: ${found.join(', ')}`]
      return { isRight: found === undefined || isRight, cells: [cluster, host, addresses.join(', ') || 'as you choose', ...result] }
    }),
  )
  io.out(
    tableText(
      ['Cluster', 'Host', 'Address', ...(options.check === true ? ['Found'] : [])],
      rows.map(({ cells }) => cells),
      io.columns,
    ),
  )
  const wrong = rows.filter(({ isRight }) => !isRight).length
  if (wrong === 0) return exitCodes.ok
  io.err(`error: ${wrong} of ${rows.length} records are missing or wrong\nfix: add them to the zone ${baseDomain}, then check again\n`)
  return exitCodes.failed
}
