import type { Metrics } from '../../ports/index.ts'
import type { CommitReport } from './journal.ts'
import type { StoreStats } from './store.ts'

/** Declares the metrics of a store; what it returns is called with each commit. `stats` is called at each scrape. */
export function storeMetrics(metrics: Metrics, stats: () => StoreStats): (report: CommitReport) => void {
  const gauge = (name: string, help: string, value: (stats: StoreStats) => number) =>
    metrics.gauge({ name: `aviary_store_${name}`, help, collect: series => series.set({}, value(stats())) })
  gauge('revision', 'Revision of the last change.', ({ revision }) => revision)
  gauge('history_revisions', 'Changes that watches and snapshots can go back to.', ({ historyLength }) => historyLength)
  gauge('watches', 'Open watches.', ({ watches }) => watches)
  gauge('database_bytes', 'Size of the database file.', ({ databaseBytes }) => databaseBytes)
  gauge('log_bytes', 'Size of the write-ahead log of the database.', ({ logBytes }) => logBytes)
  gauge('superseded_rows', 'Rows that are no longer needed and not yet removed.', ({ supersededRows }) => supersededRows)
  gauge('failed', 'Whether the disk failed, so that writes are refused until the next start.', ({ failed }) => Number(failed))
  metrics.gauge<'kind'>({
    name: 'aviary_store_objects',
    help: 'Objects by kind.',
    labels: ['kind'],
    collect: objects => {
      for (const [kind, count] of Object.entries(stats().objects)) objects.set({ kind }, count)
    },
  })
  const duration = metrics.histogram({
    name: 'aviary_store_commit_seconds',
    help: 'Time until a batch of writes was on the disk.',
    buckets: [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  })
  const size = metrics.histogram({
    name: 'aviary_store_commit_changes',
    help: 'Changes that shared one commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  })
  return ({ seconds, changes }) => {
    duration.observe({}, seconds)
    size.observe({}, changes)
  }
}
