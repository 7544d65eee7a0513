import type { ClusterPool } from '../../kinds/index.ts'
import type { Pass, RewriteBrake } from '../../control/index.ts'
import type { NameCheck } from '../dns/name-check.ts'
import type { PoolMetrics } from '../metrics.ts'
import type { NameTrouble } from './name-trouble.ts'
import type { Plan, PoolView } from './plan.ts'

/** What a step finds out for those after it. */
export interface Found {
  missing?: readonly string[]
  /** How many names were chosen, of those that are free, and what is wrong with the others. Absent: nobody had to choose. */
  chosen?: { readonly count: number; readonly trouble: NameTrouble }
}

/** What the steps of a pool's pass share. */
export interface PoolSnapshot extends Omit<PoolView, 'pool' | 'now'> {
  readonly plan: Plan
  readonly found: Found
  readonly metrics: PoolMetrics
  /** Namespaces that this process has reserved and not used yet, with their pools' keys; others are left over from somebody's crash. */
  readonly proposed: Map<string, string>
  readonly brake: RewriteBrake
  /** Says which DNS names of a cluster do not resolve; undefined if nobody wants to know. */
  readonly checkNames: NameCheck | undefined
}

/** One look at one pool. */
export type PoolPass = Pass<ClusterPool> & PoolSnapshot
