import { ClusterDeploymentCustomization, ClusterPool } from '../../kinds/index.ts'
import { checkRecord, dnsRecords } from '../../pools/index.ts'
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
  const { pool, records } = await connected(options, io, async ({ store, where }) => {
    const found = await store.get(ClusterPool, { ...where(ClusterPool), name })
    // Only entries without a name of their own need them, and many pools have none.
    const isNameless = found.spec.inventory?.clusterDeployments?.some(({ generateName }) => generateName === true) === true
    const { items } = isNameless ? await store.list(ClusterDeploymentCustomization, where(ClusterDeploymentCustomization)) : { items: [] }
    const customizations = items.map(({ object }) => object)
    return { pool: found, records: dnsRecords(found, customizations) }
  })
  if (records.length === 0) {
    io.err(`${whyNone(pool)}\n`)
    return exitCodes.ok
  }
  const rows = await Promise.all(
    records.map(async record => {
      const asked = [record.cluster, record.host, record.addresses.join(', ') || 'as you choose']
      if (options.check !== true) return { isRight: true, cells: asked }
      const { found, isRight } = await checkRecord(record, io.resolve, io.signal)
      return { isRight, cells: [...asked, isRight ? 'ok' : found.length === 0 ? 'missing' : `wrong: ${found.join(', ')}`] }
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
  const zone = pool.spec.baseDomain
  io.err(`error: ${wrong} of ${rows.length} records are missing or wrong\nfix: add them to the zone ${zone}, then check again\n`)
  return exitCodes.failed
}

/** Why a pool needs no records. */
function whyNone({ metadata: { name }, spec: { inventory } }: ClusterPool): string {
  if (inventory === undefined) return `The pool ${name} has no inventory: its clusters have generated names.`
  const { clusterDeployments = [] } = inventory
  return clusterDeployments.length === 0
    ? `The inventory of pool ${name} is empty: it has no clusters.`
    : `The inventory of pool ${name} gives no names: its clusters have generated ones.`
}
