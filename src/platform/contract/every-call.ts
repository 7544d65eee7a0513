import type { PlatformOperation } from '../around-calls.ts'
import type { CloneRequest, GuestCommand, Platform, Vm } from '../platform.ts'

/** Each call of a platform once, with a VM that it knows and one that it is to make. */
export function everyCall(
  platform: Platform,
  { id, name: expectedName }: Vm,
  request: CloneRequest,
  login: Pick<GuestCommand, 'user' | 'password'>,
): Readonly<Record<PlatformOperation, (signal: AbortSignal) => Promise<unknown>>> {
  const name = `${expectedName}-renamed`
  return {
    clone: signal => platform.clone(request, signal),
    claim: signal => platform.claim({ id, expectedName, name, annotation: 'claimed' }, signal),
    diskGB: signal => platform.diskGB(id, signal),
    rename: signal => platform.rename(id, name, signal),
    annotate: signal => platform.annotate(id, 'other', signal),
    powerOn: signal => platform.powerOn(id, signal),
    powerOff: signal => platform.powerOff(id, signal),
    shutDown: signal => platform.shutDown(id, signal),
    waitForAddress: signal => platform.waitForAddress(id, () => false, signal),
    waitForGuest: signal => platform.waitForGuest(id, signal),
    runInGuest: signal => platform.runInGuest(id, { ...login, program: '/bin/true', args: '' }, signal),
    guestExit: signal => platform.guestExit(id, 1, login, signal),
    guestPrograms: signal => platform.guestPrograms(id, login, signal),
    destroy: signal => platform.destroy(id, signal),
    markAsTemplate: signal => platform.markAsTemplate(id, signal),
    capacity: () => platform.capacity('another-pool'),
    events: signal => platform.events(id, signal),
  }
}
