import type { AddressLease } from '../../kinds/index.ts'

const label = 'platform.aviary.dev/part'

/** Which part of its platform a lease belongs to; undefined for one from a time when leases did not say so. */
export function partOf({ metadata }: AddressLease): string | undefined {
  return metadata.labels?.[label]
}

/** Whether a lease may be of a VM that a program cannot see which sees this part of the platform; undefined: all of it. */
export function isElsewhere(lease: AddressLease, part: string | undefined): boolean {
  const where = partOf(lease)
  return part !== undefined && where !== undefined && where !== part
}

/** The metadata of a lease that belongs to this part. */
export function ofPart<T extends Partial<AddressLease['metadata']>>(metadata: T, part: string | undefined): T {
  return part === undefined ? metadata : { ...metadata, labels: { ...metadata.labels, [label]: part } }
}
