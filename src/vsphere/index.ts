/*
 * vSphere. A newcomer reads, in this order:
 *
 *   vsphere-platform.ts        what the platform port comes to on a vCenter
 *   operations/carry-out.ts    how a change happens once although answers get lost
 *   watch/property-watch.ts    how all changes of a vCenter arrive through one call
 *   soap/session.ts            how a session is kept
 *   xml/                       what goes over the wire
 */
export { VsphereConnection } from './connection.ts'
export type { ConnectionOptions } from './connection.ts'
export type { Check } from './doctor/check.ts'
export { doctor } from './doctor/doctor.ts'
export type { DoctorOptions } from './doctor/doctor.ts'
export { liveTasks, liveVms } from './live-tables.ts'
export type { Datacenter } from './places.ts'
export { sdkUrl } from './settings.ts'
export type { VcenterAccess, VsphereHome, VsphereSettings } from './settings.ts'
export { VspherePlatform } from './vsphere-platform.ts'
