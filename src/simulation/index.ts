/*
 * Simulated back ends with seeded faults. A world is there whether or not anybody is connected, so that a crash of the program
 * loses its client and nothing else.
 */
export { connectToCds } from './cds/connect.ts'
export type { CdsConnection } from './cds/connect.ts'
export { jobTraffic } from './cds/job-traffic.ts'
export type { JobTrafficOptions, TrafficJob } from './cds/job-traffic.ts'
export type { CdnConfig } from './cds/parts.ts'
export type { JobV1, JobV2, ModelV1, ModelV2, WorkerV1, WorkerV2 } from './cds/records.ts'
export { SimulatedCds } from './cds/simulated-cds.ts'
export type { HatcheryV1Request, SimulatedCdsOptions } from './cds/simulated-cds.ts'
export { workerPrograms } from './cds/worker-programs.ts'
export type { WorkerProgramsOptions } from './cds/worker-programs.ts'
export type { CdsEvent, Wrongs } from './cds/witness.ts'
export { SimulatedInstaller } from './installer.ts'
export type { SimulatedInstallerOptions } from './installer.ts'
export type { GuestProgram } from './platform/guest-process.ts'
export type { Fault, FaultRates } from './platform/link-faults.ts'
export { SimulatedPlatform, simulatedPlatform } from './platform/simulated-platform.ts'
export { withFaults } from './platform/with-faults.ts'
export { SimulatedWorld } from './platform/world.ts'
export type { WorldHost, WorldOptions, WorldPool, WorldTemplate, WorldTimings } from './platform/world-options.ts'
