/*
 * CI workers on VMs for jobs that wait in CDS. A newcomer reads settings.ts first, then hatchery.ts.
 */
export { connectCds } from './cds/connect.ts'
export { checkSignIns } from './cds/sign-in-check.ts'
export { apiTrust } from './config/api-trust.ts'
export { effectiveConfiguration, effectiveTable } from './config/effective-configuration.ts'
export { hatcherySettings } from './config/hatchery-settings.ts'
export type { SettingsRead } from './config/hatchery-settings.ts'
export type { SettingProblem } from './config/setting-problem.ts'
export { templatesNamed, vcenterSettings } from './config/vcenter-settings.ts'
export { vspherePage } from './config/vsphere-page.ts'
export { Hatchery } from './hatchery.ts'
export type { HatcheryOptions } from './hatchery.ts'
export { Monitoring } from './monitoring/monitoring.ts'
export type { MonitoringOptions } from './monitoring/monitoring.ts'
export type { PoolReport } from './provisioning/pool.ts'
export type { HatcherySettings } from './settings.ts'
export type { JobRow, WorkerRow } from './snapshot.ts'
