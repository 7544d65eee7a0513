import type { ClusterPool } from '../../kinds/index.ts'
import { entriesOf } from './inventory.ts'
import { isTaken, type Ledger } from './ledger.ts'

/** How many clusters a pool should keep, and how many it may have. */
export interface Bounds {
  readonly size: number
  readonly max: number
}

/** A pool's numbers, but never more than it has names. A disabled one counts as long as it is in use: only new clusters do without it. */
export function boundsOf(pool: ClusterPool, ledger: Ledger): Bounds {
  const { size, maxSize = Number.POSITIVE_INFINITY } = pool.spec
  const usable = entriesOf(pool)?.filter(({ name, disabled }) => disabled !== true || isTaken(ledger, name))
  const names = usable?.length ?? Number.POSITIVE_INFINITY
  return { size: Math.min(size, names), max: Math.min(maxSize, names) }
}
