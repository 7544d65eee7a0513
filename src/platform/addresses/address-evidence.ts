import { noteField } from '../note.ts'
import type { Vm } from '../platform.ts'
import { parseIpv4 } from './ipv4.ts'

const inName = /(?:^|-)ip-(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})(?:-|$)/

/**
 * Every address that a VM says it has or is to have: by what its guest reports, by its annotation (`ip_address`), and by its name
 * (`…-ip-10-0-0-5-…`). Whoever made the VM: an address that anybody holds is taken.
 */
export function addressEvidence(vm: Vm): readonly string[] {
  if (vm.template) return []
  const found = new Set(vm.addresses)
  const noted = noteField(vm.note, 'ip_address')
  if (typeof noted === 'string' && parseIpv4(noted) !== undefined) found.add(noted)
  const named = inName.exec(vm.name)?.slice(1).join('.')
  if (named !== undefined && parseIpv4(named) !== undefined) found.add(named)
  return [...found]
}
