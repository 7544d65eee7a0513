import type { CloneRequest, Platform } from './platform.ts'

/** The calls of a platform that leave the program. */
export type PlatformOperation = Exclude<keyof Platform, 'name' | 'inventory' | 'tasks' | 'close'>

/** One such call, as whoever stands around it sees it. */
export interface PlatformCall {
  readonly operation: PlatformOperation
  /** The VM's id, or the name of one that is to be made. */
  readonly target: string
  /** Only with `clone`. */
  readonly clone?: CloneRequest
  readonly signal: AbortSignal
}

/** Does something around a call: waits before it, measures it, lets it fail. `next` makes the call. */
export type Around = <T>(call: PlatformCall, next: () => Promise<T>) => Promise<T>

/** The same platform with something done around each of its calls: how limits, metrics and faults are put around any platform. */
export function aroundCalls(platform: Platform, around: Around): Platform {
  const on = (operation: PlatformOperation, target: string, signal: AbortSignal): PlatformCall => ({ operation, target, signal })
  const never = new AbortController().signal
  return {
    name: platform.name,
    inventory: platform.inventory,
    clone: (request, signal) => around({ ...on('clone', request.name, signal), clone: request }, () => platform.clone(request, signal)),
    claim: (request, signal) => around(on('claim', request.id, signal), () => platform.claim(request, signal)),
    diskGB: (id, signal) => around(on('diskGB', id, signal), () => platform.diskGB(id, signal)),
    rename: (id, name, signal) => around(on('rename', id, signal), () => platform.rename(id, name, signal)),
    annotate: (id, annotation, signal) => around(on('annotate', id, signal), () => platform.annotate(id, annotation, signal)),
    powerOn: (id, signal) => around(on('powerOn', id, signal), () => platform.powerOn(id, signal)),
    powerOff: (id, signal) => around(on('powerOff', id, signal), () => platform.powerOff(id, signal)),
    shutDown: (id, signal) => around(on('shutDown', id, signal), () => platform.shutDown(id, signal)),
    waitForAddress: (id, accept, signal) => around(on('waitForAddress', id, signal), () => platform.waitForAddress(id, accept, signal)),
    waitForGuest: (id, signal) => around(on('waitForGuest', id, signal), () => platform.waitForGuest(id, signal)),
    runInGuest: (id, command, signal) => around(on('runInGuest', id, signal), () => platform.runInGuest(id, command, signal)),
    guestExit: (id, process, credentials, signal) =>
      around(on('guestExit', id, signal), () => platform.guestExit(id, process, credentials, signal)),
    guestPrograms: (id, credentials, signal) =>
      around(on('guestPrograms', id, signal), () => platform.guestPrograms(id, credentials, signal)),
    destroy: (id, signal) => around(on('destroy', id, signal), () => platform.destroy(id, signal)),
    markAsTemplate: (id, signal) => around(on('markAsTemplate', id, signal), () => platform.markAsTemplate(id, signal)),
    capacity: pool => around(on('capacity', pool ?? '', never), () => platform.capacity(pool)),
    tasks: () => platform.tasks(),
    events: (id, signal) => around(on('events', id, signal), () => platform.events(id, signal)),
    close: () => platform.close(),
  }
}
