import { readNote } from '../note.ts'
import type { Vm } from '../platform.ts'

/** A VM for a test that cares only about what it names. */
export function aVm(given: Partial<Vm> & { readonly id: string }): Vm {
  const annotation = given.annotation ?? ''
  return Object.freeze({
    name: given.id,
    template: false,
    power: 'off',
    cpus: 1,
    memoryMB: 1024,
    annotation,
    note: readNote(annotation),
    addresses: [],
    guestReady: false,
    bootedAt: undefined,
    host: undefined,
    ...given,
  } satisfies Vm)
}
