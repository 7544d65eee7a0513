/*
 * What a VM platform can do, and what all platforms share. A newcomer reads platform.ts first: its comments are the contract, and
 * contract.ts proves each of them on every platform.
 */
export { AddressAuthority } from './addresses/address-authority.ts'
export type { AddressAuthorityOptions, HeldAddress, NetworkAddress } from './addresses/address-authority.ts'
export type { AddressCounts } from './addresses/address-counts.ts'
export { addressMetrics } from './addresses/address-metrics.ts'
export { addressNetwork } from './addresses/address-network.ts'
export type { AddressNetwork, NetworkRanges } from './addresses/address-network.ts'
export { addressRivals, firstRival } from './addresses/address-rivals.ts'
export { aroundCalls } from './around-calls.ts'
export type { Around, PlatformCall, PlatformOperation } from './around-calls.ts'
export {
  AddressContested,
  AddressLeaseLost,
  Busy,
  ClaimLost,
  DiskNotGrown,
  GuestLoginRefused,
  GuestNotReady,
  InventoryNotLive,
  NameTaken,
  NoAddressFree,
  NoCapacity,
  NotPermitted,
  NotThere,
  PlatformFault,
  QuestionPending,
  SignInRefused,
  WaitedTooLong,
  WrongPower,
} from './errors.ts'
export { IndexedInventory } from './indexed-inventory.ts'
export { flavors } from './flavors.ts'
export type { Flavor, Flavors } from './flavors.ts'
export { governed } from './governor/governed.ts'
export { Governor } from './governor/governor.ts'
export type { GovernorOptions, Waiting, Work } from './governor/governor.ts'
export type { GovernorLimits } from './governor/governor-limits.ts'
export { operationRows } from './governor/operation-row.ts'
export type { OperationRow } from './governor/operation-row.ts'
export { KnownHosts } from './governor/known-hosts.ts'
export { measured } from './measured.ts'
export { noteField, noteOf, readNote } from './note.ts'
export type {
  Capacity,
  ClaimRequest,
  CloneRequest,
  GuestAddress,
  GuestCommand,
  GuestProgram,
  Inventory,
  InventoryState,
  NetworkSettings,
  Platform,
  PlatformEvent,
  PlatformTask,
  Vm,
  VmChange,
} from './platform.ts'
export { sizeProblem } from './sizes.ts'
export type { Size, SizeLimits } from './sizes.ts'
export { templateAmong } from './template-among.ts'
export { generateVmName } from './vm-name.ts'
export { waitForVm } from './wait-for-vm.ts'
