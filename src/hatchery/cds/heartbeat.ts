import { isoTimeMicro } from '../../ports/index.ts'
import type { StatusLine } from './cds.ts'

/** Who beats. */
export interface HeartbeatSource {
  readonly name: string
  readonly hostname: string
}

/** The status of a hatchery as CDS and `/mon/status` show it. */
export function monitoringStatus(lines: readonly StatusLine[], { name, hostname }: HeartbeatSource, now: number): object {
  return {
    now: isoTimeMicro(now),
    lines: lines.map(({ status, component, value }) => ({ status, component, value, type: 'hatchery', service: name, hostname })),
  }
}
