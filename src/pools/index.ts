/*
 * Pools of clusters that are ready to be claimed. A newcomer reads, in this order:
 *
 *   cluster-pools.ts          all controllers
 *   pool/plan.ts              what is decided about a pool, as a pure function
 *   pool/ledger.ts            how names are reserved before anything is made
 *   pool/steps.ts             how the plan is carried out
 *   assignment/controller.ts  how a claim gets its cluster
 *   claim/steps.ts            what follows from that, and how the cluster is given back
 *   installer/installer.ts    what makes clusters
 *   cluster/install.ts        how an installer is driven
 */
export { clusterPools } from './cluster-pools.ts'
export { dnsRecords } from './dns/records.ts'
export { checkRecord, nameCheck } from './dns/name-check.ts'
export { commandHook } from './installer/command-hook.ts'
export { httpHook } from './installer/http-hook.ts'
export type { Installer } from './installer/installer.ts'
