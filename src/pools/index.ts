/*
 * Pools of clusters that are ready to be claimed. A newcomer reads, in this order:
 *
 *   pool/plan.ts            what is decided about a pool, as a pure function
 *   pool/ledger.ts          how names are reserved before anything is made
 *   pool/steps.ts           how the plan is carried out
 *   claim/steps.ts          how a claim gets its cluster, and gives it back
 *   installer/installer.ts  what makes clusters
 *   cluster/install.ts      how an installer is driven
 */
export { poolAdmins } from './admins/controller.ts'
export { claimController } from './claim/controller.ts'
export { clusterController } from './cluster/controller.ts'
export { dnsRecords } from './dns/records.ts'
export { nameCheck } from './dns/name-check.ts'
export { commandHook } from './installer/command-hook.ts'
export { httpHook } from './installer/http-hook.ts'
export type { Installer } from './installer/installer.ts'
export { poolController } from './pool/controller.ts'
export { namespaceReaper } from './reaper/controller.ts'
