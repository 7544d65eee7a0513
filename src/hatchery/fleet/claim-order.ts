import type { FleetVm } from './fleet-index.ts'

/** VMs that stand ready for a model, by how well they suit a job. */
export interface ClaimOrder {
  /** To be taken before a fresh clone: those of the job's flavor, then those of none, which are resized. */
  readonly first: readonly FleetVm[]
  /** Kept for another flavor: to be taken only if no clone can be made. */
  readonly lastResort: readonly FleetVm[]
}

/** Orders VMs that stand ready for a job that wants `flavor`; empty: the template's size. */
export function claimOrder(ready: readonly FleetVm[], flavor: string): ClaimOrder {
  const wanted = flavor.toLowerCase()
  const same: FleetVm[] = []
  const neutral: FleetVm[] = []
  const lastResort: FleetVm[] = []
  for (const each of ready) {
    const pinned = each.note.flavor.toLowerCase()
    if (pinned === '') neutral.push(each)
    else if (pinned === wanted) same.push(each)
    else lastResort.push(each)
  }
  return { first: [...same, ...neutral], lastResort }
}
