import { unused } from './setting.ts'

const others = unused('it belongs to another service of CDS; this program is its hatchery for vSphere only')

/** What else a CDS operator's file may hold at its top. None of it has an effect here. */
export const cdsSections = {
  api: others,
  cdn: others,
  databaseMigrate: others,
  debug: others,
  elasticsearch: others,
  features: others,
  hooks: others,
  migrate: others,
  repositories: others,
  telemetry: unused('metrics are always at /mon/metrics of the hatchery; traces are not sent'),
  tracing: unused('traces are not sent'),
  ui: others,
  vcs: others,
}
