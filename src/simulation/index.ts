/*
 * Simulated back ends with seeded faults. A world is there whether or not anybody is connected, so that a crash of the program
 * loses its client and nothing else.
 */
export { SimulatedInstaller } from './installer.ts'
export type { SimulatedInstallerOptions } from './installer.ts'
export type { GuestProgram } from './platform/guest-process.ts'
export type { Fault, FaultRates } from './platform/link-faults.ts'
export { SimulatedPlatform, simulatedPlatform } from './platform/simulated-platform.ts'
export { SimulatedWorld } from './platform/world.ts'
export type { WorldHost, WorldOptions, WorldPool, WorldTemplate, WorldTimings } from './platform/world-options.ts'
