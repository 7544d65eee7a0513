import {
  AddressContested,
  AddressLeaseLost,
  Busy,
  InventoryNotLive,
  NoAddressFree,
  NoCapacity,
  WaitedTooLong,
} from '../../platform/index.ts'
import { Unreachable } from '../../ports/index.ts'
import { StoreError } from '../../store/index.ts'

const ofOthers = [AddressContested, AddressLeaseLost, NoAddressFree, NoCapacity, InventoryNotLive, WaitedTooLong, Busy, Unreachable]

/**
 * Whether a worker model or its template may be at fault that a VM of it could not be made. What the platform or our own store failed
 * to do is tried again, and does not count against them.
 */
export function mayBeOfModel(error: unknown): boolean {
  return !(error instanceof StoreError) && !ofOthers.some(type => type.is(error))
}
