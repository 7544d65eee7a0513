import {
  Busy,
  GuestLoginRefused,
  GuestNotReady,
  NameTaken,
  NoCapacity,
  NotPermitted,
  NotThere,
  PlatformFault,
  WrongPower,
} from '../../platform/index.ts'
import { VimFault } from '../errors.ts'

/** What was done to what, in the words of an error text. */
export interface Doing {
  /** `clone`, `power on`, … */
  readonly what: string
  readonly name: string
}

const capacityFaults =
  /^(Insufficient.*|NoDiskSpace|NotEnoughCpus|NotEnoughLicenses|OutOfBounds|ResourceInUse|VmLimitLicense|NumVirtualCpusExceedsLimit|MemorySizeNotSupported.*|NoCompatibleHost|NoActiveHostInCluster|NoPermissionOnHost|DatastoreNotWritableOnHost|StorageDrsCannotMove.*|.*QuotaExceeded)$/

/** An error of the platform port for what vCenter refused; anything else as it is. */
export function platformError(error: unknown, { what, name }: Doing): unknown {
  if (!VimFault.is(error)) return error
  const { fault, message, about } = error.details
  const options = { cause: error }
  if (fault === 'DuplicateName') return NameTaken({ name }, options)
  if (fault === 'ManagedObjectNotFound') return NotThere({ what: 'VM or other object', name: about ?? name }, options)
  if (fault === 'NoPermission') return NotPermitted({ what: `${what} ${name}`, privilege: about ?? 'that vCenter does not name' }, options)
  if (fault === 'TaskInProgress') return Busy({ name }, options)
  if (fault === 'InvalidPowerState')
    return WrongPower({ name, power: 'in another state', wanted: `in one that allows to ${what} it` }, options)
  if (fault === 'InvalidGuestLogin' || fault === 'GuestPermissionDenied') return GuestLoginRefused({ name, user: '' }, options)
  if (fault === 'GuestOperationsUnavailable' || fault === 'ToolsUnavailable' || fault === 'GuestComponentsOutOfDate') {
    return GuestNotReady({ name, why: `vCenter says ${fault}` }, options)
  }
  if (capacityFaults.test(fault)) return NoCapacity({ what: name, why: message === '' ? fault : `${fault}: ${message}` }, options)
  return PlatformFault({ what: `to ${what} "${name}"`, fault: message === '' ? fault : `${fault}: ${message}` }, options)
}
