import { failure } from '../ports/index.ts'

/** The picture of the platform is not complete: what it does not show may be there all the same. */
export const InventoryNotLive = failure('PLATFORM_INVENTORY_NOT_LIVE', ({ platform, why }: { platform: string; why: string }) => ({
  message: `what is on ${platform} is not known at the moment: ${why}`,
}))

/** Somebody asks for an index that nobody declared. */
export const IndexNotDeclared = failure('PLATFORM_INDEX_NOT_DECLARED', ({ index, known }: { index: string; known: readonly string[] }) => ({
  message: `the inventory has no index "${index}"`,
  fix: `declare it, or use one of ${known.join(', ')}`,
}))

/** Two parts of the program declare one index differently. */
export const IndexTaken = failure('PLATFORM_INDEX_TAKEN', ({ index }: { index: string }) => ({
  message: `the index "${index}" is declared already, by another function`,
  fix: 'choose another name, or share the function',
}))

/** A VM, template, pool, network or other object that was named is not on the platform. */
export const NotThere = failure('PLATFORM_NOT_THERE', ({ what, name }: { what: string; name: string }) => ({
  message: `there is no ${what} "${name}"`,
  fix: `check the spelling, and whether the account may see it`,
}))

/** The name belongs to a VM that is not ours. */
export const NameTaken = failure('PLATFORM_NAME_TAKEN', ({ name }: { name: string }) => ({
  message: `the name "${name}" belongs to another VM`,
  fix: 'choose another name, or remove that VM',
}))

/** The platform has no room: CPU, memory, disk space or a limit of its own. */
export const NoCapacity = failure('PLATFORM_NO_CAPACITY', ({ what, why }: { what: string; why: string }) => ({
  message: `no room for ${what}: ${why}`,
  fix: 'free some, or raise the limit of the resource pool or datastore',
}))

/** The account lacks a privilege. */
export const NotPermitted = failure('PLATFORM_NOT_PERMITTED', ({ what, privilege }: { what: string; privilege: string }) => ({
  message: `the account may not ${what}: it lacks the privilege ${privilege}`,
  fix: `give its role ${privilege}`,
}))

/** Another task holds the VM. Worth another try. */
export const Busy = failure('PLATFORM_BUSY', ({ name }: { name: string }) => ({
  message: `"${name}" is held by another task`,
}))

/** The VM is on, off or suspended when it must not be. */
export const WrongPower = failure('PLATFORM_WRONG_POWER', ({ name, power, wanted }: { name: string; power: string; wanted: string }) => ({
  message: `"${name}" is powered ${power} and must be ${wanted}`,
}))

/** Somebody else took the VM first. */
export const ClaimLost = failure('PLATFORM_CLAIM_LOST', ({ name, why }: { name: string; why: string }) => ({
  message: `"${name}" can no longer be claimed: ${why}`,
}))

/** A disk cannot be made larger. Nothing else was changed either. */
export const DiskNotGrown = failure(
  'PLATFORM_DISK_NOT_GROWN',
  ({ name, has, wanted, why }: { name: string; has: number; wanted: number; why: string }) => ({
    message: `the disk of "${name}" has ${has} GB and cannot grow to ${wanted}: ${why}`,
    fix: 'give the template a disk of that size, or have a VM made for it instead of taking one that stands ready',
  }),
)

/** The guest refuses user or password. */
export const GuestLoginRefused = failure('PLATFORM_GUEST_LOGIN_REFUSED', ({ name, user }: { name: string; user: string }) => ({
  message: `the guest of "${name}" refuses to log "${user}" in`,
  fix: 'correct the guest credentials in the configuration or the worker model',
}))

/** The guest cannot be spoken to: it is off, boots, or has no tools. Worth another try. */
export const GuestNotReady = failure('PLATFORM_GUEST_NOT_READY', ({ name, why }: { name: string; why: string }) => ({
  message: `the guest of "${name}" does not take commands: ${why}`,
}))

/** User or password of the platform's account are wrong. Not tried again by itself: that would lock the account. */
export const SignInRefused = failure(
  'PLATFORM_SIGN_IN_REFUSED',
  ({ platform, user, why }: { platform: string; user: string; why: string }) => ({
    message: `${platform} refuses to sign "${user}" in: ${why}`,
    fix: 'correct user and password in the configuration and start again; no further attempt is made until then, so that the account is not locked',
  }),
)

/** The platform wants to know something of a person before it goes on with a VM. */
export const QuestionPending = failure('PLATFORM_QUESTION_PENDING', ({ name, question }: { name: string; question: string }) => ({
  message: `the platform waits for somebody to answer a question about "${name}": ${question}`,
  fix: 'answer it there; until then nothing else can be done with the VM',
}))

/** The platform did something else than what was asked, or said something that makes no sense. */
export const PlatformFault = failure('PLATFORM_FAULT', ({ what, fault }: { what: string; fault: string }) => ({
  message: `${what} failed: ${fault}`,
}))

/** The settings of a network make no sense. */
export const AddressNetworkNotValid = failure(
  'PLATFORM_ADDRESS_NETWORK_NOT_VALID',
  ({ network, field, why, fix }: { network: string; field: string; why: string; fix: string }) => ({
    message: `network "${network}": ${field}: ${why}`,
    fix,
  }),
)

/** Every address of the networks is taken. */
export const NoAddressFree = failure('PLATFORM_NO_ADDRESS_FREE', ({ networks, taken }: { networks: readonly string[]; taken: string }) => ({
  message: `no address is free in ${networks.join(', ')}: ${taken}`,
  fix: 'add a range, remove VMs that are not needed, or look at the quarantine with: aviary get addressleases',
}))

/** A lease that was held went to somebody else, or was removed. */
export const AddressLeaseLost = failure('PLATFORM_ADDRESS_LEASE_LOST', ({ address, why }: { address: string; why: string }) => ({
  message: `the lease of ${address} is lost: ${why}`,
  fix: 'ask for another address; what was made with this one must not be started',
}))

/** Whatever address a VM was given, another VM came to have it at the same time. */
export const AddressContested = failure(
  'PLATFORM_ADDRESS_CONTESTED',
  ({ address, rival, tries }: { address: string; rival: string; tries: number }) => ({
    message: `the VM "${rival}" came to have the address ${address} at the same time, the last of ${tries} addresses that were tried`,
    fix: 'give each program that gives out addresses a range of its own',
  }),
)

/** There was no room on the platform for too long. Nothing was begun. */
export const WaitedTooLong = failure(
  'PLATFORM_WAITED_TOO_LONG',
  ({ what, minutes, why }: { what: string; minutes: number; why: string }) => ({
    message: `${what} was held back for ${minutes} minutes and given up: ${why}`,
    fix: 'raise the limits of the governor if the platform can bear more, or ask for less at once',
  }),
)

/** A VM cannot have this name. */
export const VmNameNotValid = failure('PLATFORM_VM_NAME_NOT_VALID', ({ name, why }: { name: string; why: string }) => ({
  message: `"${name}" cannot be the name of a VM: ${why}`,
  fix: 'use at most 80 characters, without slashes, backslashes, percent signs and control characters',
}))

/** No flavor has this name. */
export const FlavorUnknown = failure('PLATFORM_FLAVOR_UNKNOWN', ({ flavor, known }: { flavor: string; known: readonly string[] }) => ({
  message: `there is no flavor "${flavor}"`,
  fix: known.length === 0 ? 'add flavors to the configuration' : `use one of ${known.join(', ')}, or add it to the configuration`,
}))

/** The flavors of the configuration make no sense. */
export const FlavorsNotValid = failure(
  'PLATFORM_FLAVORS_NOT_VALID',
  ({ field, why, fix }: { field: string; why: string; fix: string }) => ({
    message: `${field}: ${why}`,
    fix,
  }),
)
