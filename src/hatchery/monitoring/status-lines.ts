import { type Clock, formatDuration, isoTime } from '../../ports/index.ts'
import type { StatusLine } from '../cds/cds.ts'
import { WorkersNotKnown } from '../errors.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { WorkerPool } from '../gates/worker-pool.ts'
import type { HatcherySettings } from '../settings.ts'

/** What the status is told from. */
export interface StatusOptions {
  readonly settings: Pick<HatcherySettings, 'provision'>
  readonly fleet: Pick<Fleet, 'totals' | 'startedCount'>
  readonly pool: Pick<WorkerPool, 'line'>
  /** Whether each loop is alive, by the name that CDS shows. */
  readonly health: () => ReadonlyMap<string, boolean>
  /** What CDS compares with its own version. */
  readonly version: string
  /** When the hatchery was started, by the clock's `monotonic`. */
  readonly startedAt: number
  readonly clock: Clock
}

/** How the hatchery is: for CDS with every heartbeat, and for `/mon/status`. All of it from memory. */
export function statusLines(options: StatusOptions): readonly StatusLine[] {
  const { version, startedAt, clock, health } = options
  const seconds = Math.floor((clock.monotonic() - startedAt) / 1000)
  return [
    { status: 'OK', component: 'Version', value: version },
    { status: 'OK', component: 'Uptime', value: formatDuration(seconds * 1000) },
    { status: 'OK', component: 'Time', value: isoTime(clock.now()) },
    ...Array.from(health(), ([name, isAlive]) => loopLine(name, isAlive)),
    workersLine(options),
    vmsLine(options),
  ]
}

function loopLine(name: string, isAlive: boolean): StatusLine {
  const component = `goroutine/${name}`
  return isAlive ? { status: 'OK', component, value: 'Running' } : { status: 'AL', component, value: 'NOT running' }
}

function workersLine({ pool, fleet, settings }: StatusOptions): StatusLine {
  const { maxWorker } = settings.provision
  const most = maxWorker > 0 ? maxWorker : 'unlimited'
  try {
    return { status: 'OK', component: 'Workers', value: pool.line() }
  } catch (error) {
    // Without CDS's lists there are at least those whose VMs are there.
    if (WorkersNotKnown.is(error)) return startedLine(fleet, most)
    return { status: 'AL', component: 'Workers', value: `unknown/${most}` }
  }
}

function startedLine(fleet: StatusOptions['fleet'], most: number | string): StatusLine {
  try {
    return { status: 'WARN', component: 'Workers', value: `${fleet.startedCount().all}/${most}` }
  } catch {
    return { status: 'AL', component: 'Workers', value: `unknown/${most}` }
  }
}

function vmsLine({ fleet }: StatusOptions): StatusLine {
  try {
    return { status: 'OK', component: 'VirtualMachines', value: String(fleet.totals().pool.count) }
  } catch {
    return { status: 'AL', component: 'VirtualMachines', value: 'Error listing' }
  }
}
