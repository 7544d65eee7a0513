import type { Fleet } from './fleet.ts'
import type { FleetVm } from './fleet-index.ts'

/** VMs that stand ready for a model, by how well they suit a job. */
export interface ClaimOrder {
  /** To be taken before a fresh clone: those of the job's flavor, then those of none, which are resized. */
  readonly first: Iterable<FleetVm>
  /** Kept for another flavor: to be taken only if no clone can be made. */
  readonly lastResort: Iterable<FleetVm>
}

/** For what a VM is to stand ready: V1 `group/name`, V2 the template. */
export interface ClaimedModel {
  readonly version: 1 | 2
  readonly path: string
  readonly image: string
}

/** Finds VMs that stand ready for a job that wants `flavor`; empty: the template's size. Throws InventoryNotLive. */
export function claimOrder(fleet: Fleet, { version, path, image }: ClaimedModel, flavor: string): ClaimOrder {
  const ready = (which?: string) => fleet.ready(version, version === 1 ? path : image, which)
  const isOther = ({ note }: FleetVm) => note.flavor !== '' && note.flavor.toLowerCase() !== flavor.toLowerCase()
  return { first: oneAfterAnother(flavor === '' ? [''] : [flavor, ''], ready), lastResort: ready().filter(isOther) }
}

function* oneAfterAnother(flavors: readonly string[], ready: (flavor: string) => Iterable<FleetVm>): Iterable<FleetVm> {
  for (const flavor of flavors) yield* ready(flavor)
}
