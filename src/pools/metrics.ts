import type { Counter, Histogram, Metrics } from '../ports/index.ts'
import type { ClusterPool } from '../kinds/index.ts'
import type { Plan } from './pool/plan.ts'
import { waitedSeconds } from './pool/waited.ts'

type PoolLabels = 'clusterpool_namespace' | 'clusterpool_name'
const labels = ['clusterpool_namespace', 'clusterpool_name'] as const

const states = ['assignable', 'claimed', 'deleting', 'installing', 'unclaimed', 'standby', 'stale', 'broken'] as const
const inventoryStates = ['total', 'free', 'reserved', 'broken'] as const

type InventoryNumbers = NonNullable<NonNullable<ClusterPool['status']>['inventory']>

/** What pools measure, by the names that dashboards of this field know. */
export interface PoolMetrics {
  /** Shows a pool as a pass saw it; its inventory in numbers, if it has one. */
  show(pool: ClusterPool, plan: Plan, inventory: InventoryNumbers | undefined, now: number): void
  /** Forgets a pool that is gone. */
  forget(pool: ClusterPool): void
  readonly staleRemoved: Counter<PoolLabels>
  readonly recovered: Counter<PoolLabels>
  /** Reservations that somebody else's write was quicker than. */
  readonly lostRaces: Counter<PoolLabels>
}

/** The labels of a pool's series. */
export function labelsOf({ metadata }: ClusterPool): Readonly<Record<PoolLabels, string>> {
  return { clusterpool_namespace: metadata.namespace ?? '', clusterpool_name: metadata.name }
}

/** Declares how long claims wait for a cluster. */
export function assignmentDelay(metrics: Metrics): Histogram<PoolLabels> {
  return metrics.histogram({
    name: 'hive_clusterclaim_assignment_delay_seconds',
    help: 'How long claims waited for a cluster.',
    labels,
    buckets: [0.01, 0.1, 1, 30, 120, 600, 1800, 3000, 7200],
  })
}

/** Declares how many installations were given up, and why the last attempt failed. */
export function givenUpInstallations(metrics: Metrics): Counter<'clusterpool_namespacedname' | 'failure_reason'> {
  return metrics.counter({
    name: 'hive_cluster_deployments_provision_failed_terminal_total',
    help: 'Installations that are not tried again.',
    labels: ['clusterpool_namespacedname', 'failure_reason'],
  })
}

/** Declares what pools measure. */
export function poolMetrics(metrics: Metrics): PoolMetrics {
  const gauge = (name: string, help: string) => metrics.gauge<PoolLabels>({ name, help, labels })
  const clusters = states.map(state => gauge(`hive_clusterpool_clusterdeployments_${state}`, `Clusters of the pool that are ${state}.`))
  const names = inventoryStates.map(state => gauge(`aviary_pool_inventory_${state}`, `Names of the pool's inventory: ${state}.`))
  const queue = gauge('aviary_pool_claims_waiting', 'Claims on the pool that have no cluster.')
  const oldest = gauge('aviary_pool_oldest_claim_seconds', 'How long the oldest claim on the pool has been waiting.')
  const staleRemoved = metrics.counter({
    name: 'hive_clusterpool_stale_clusterdeployments_deleted',
    help: 'Stale clusters that were replaced.',
    labels,
  })
  const recovered = metrics.counter({
    name: 'aviary_pool_reservations_recovered_total',
    help: 'Reservations completed after somebody crashed.',
    labels,
  })
  const lostRaces = metrics.counter({
    name: 'aviary_pool_reservation_conflicts_total',
    help: 'Reservations that came to nothing because somebody else changed the pool first.',
    labels,
  })
  const all = [...clusters, ...names, queue, oldest, staleRemoved, recovered, lostRaces, assignmentDelay(metrics)]
  return {
    staleRemoved,
    recovered,
    lostRaces,
    show: (pool, { buckets, pending }, inventory, now) => {
      const of = labelsOf(pool)
      const { assignable, claimed, deleting, installing, unassigned, standby, unknownVersion, otherVersion, broken } = buckets
      const stale = [...unknownVersion, ...otherVersion]
      const counts = [assignable, claimed, deleting, installing, unassigned, standby, stale, broken].map(list => list.length)
      clusters.forEach((each, index) => each.set(of, counts[index] ?? 0))
      names.forEach((each, index) => (inventory === undefined ? each.remove(of) : each.set(of, inventory[inventoryStates[index]!])))
      queue.set(of, pending.length)
      oldest.set(of, Math.max(0, ...pending.map(claim => waitedSeconds(claim, now))))
    },
    forget: pool => {
      for (const each of all) each.remove(labelsOf(pool))
    },
  }
}
