import type { Vm } from './platform.ts'

/** Whether two reports of a VM say the same. The note needs no look: it is what the annotation says. */
export function sameVm(one: Vm, other: Vm): boolean {
  return (
    one.id === other.id &&
    one.name === other.name &&
    one.template === other.template &&
    one.power === other.power &&
    one.cpus === other.cpus &&
    one.memoryMB === other.memoryMB &&
    one.annotation === other.annotation &&
    one.guestReady === other.guestReady &&
    one.bootedAt === other.bootedAt &&
    one.host === other.host &&
    one.addresses.length === other.addresses.length &&
    one.addresses.every((address, index) => address === other.addresses[index])
  )
}
