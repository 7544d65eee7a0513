import type { PlatformTask, Vm } from '../platform/index.ts'
import type { VsphereConnection } from './connection.ts'

/** Every VM and template, by name, as the live inventory has them. */
export async function liveVms(connection: VsphereConnection, signal: AbortSignal): Promise<readonly Vm[]> {
  await connection.live(signal)
  return [...connection.inventory.all()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** Everything under way, own and foreign, oldest first, read this moment. */
export async function liveTasks(connection: VsphereConnection, signal: AbortSignal): Promise<readonly PlatformTask[]> {
  await connection.live(signal)
  await connection.tasks.refresh()
  return connection.tasks.list().toSorted((one, other) => one.since - other.since)
}
