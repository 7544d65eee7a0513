import { type Clock, DeadlineExceeded, formatDuration, Unreachable } from '../../ports/index.ts'
import { GuestLoginRefused, GuestNotReady, type Inventory, type Platform, type Vm } from '../../platform/index.ts'
import { PreStartFailed, StageTooSlow } from '../errors.ts'
import type { GuestLogin } from './guest-login.ts'
import { inShell } from './launch-script.ts'

const minute = 60_000

/** How long each stage may take (hatchery §9.1), and how long the script that runs before the worker. */
const stageLimits = { address: 3 * minute, guest: 3 * minute, probe: minute, preStart: 2 * minute } as const

/** With what a guest is waited for. */
export interface Readiness {
  readonly platform: Platform
  readonly clock: Clock
}

/**
 * Resolves when the guest has the expected address, on whichever of its cards and beside whichever others: the first one that a
 * guest names may be that of a bridge inside it. Without an expected one any IPv4 address will do.
 */
export async function addressReached(readiness: Readiness, id: string, expected: string | undefined, signal: AbortSignal): Promise<string> {
  const { platform, clock } = readiness
  const accept = (address: string) => (expected === undefined ? isIpv4(address) : address === expected)
  const what = expected === undefined ? 'an address of the guest' : `the address ${expected} of the guest`
  return await stage(
    clock,
    stageLimits.address,
    what,
    signal,
    () => whyNoAddress(readiness, id, signal),
    within => platform.waitForAddress(id, accept, within),
  )
}

/** Resolves when programs can be started in the guest, as far as the platform knows. */
export async function guestReached({ platform, clock }: Readiness, id: string, signal: AbortSignal): Promise<void> {
  const seen = () => 'its tools do not report that guest operations are ready'
  await stage(clock, stageLimits.guest, 'readiness of the guest', signal, seen, within => platform.waitForGuest(id, within))
}

/** Resolves when a program could be started in the guest: the tools say that they are ready before they are. */
export async function guestProbed({ platform, clock }: Readiness, id: string, login: GuestLogin, signal: AbortSignal): Promise<void> {
  let last = 'it was not asked'
  await stage(
    clock,
    stageLimits.probe,
    'the first program in the guest',
    signal,
    () => last,
    async within => {
      for (;;) {
        try {
          return await platform.runInGuest(id, { ...login, ...inShell('env') }, within)
        } catch (error) {
          if (!GuestNotReady.is(error) && !GuestLoginRefused.is(error) && !Unreachable.is(error)) throw error
          last = error.message
          // A guest that is being set up may not know its password yet. It may also lock the account after too many wrong ones.
          await clock.sleep(GuestLoginRefused.is(error) ? 10_000 : 1_000, within)
        }
      }
    },
  )
}

/** Runs the script that the configuration wants to run before the worker, and waits for its end. */
export async function preStartDone(
  { platform, clock }: Readiness,
  id: string,
  { image, script, login }: { readonly image: string; readonly script: string; readonly login: GuestLogin },
  signal: AbortSignal,
): Promise<void> {
  const process = await platform.runInGuest(id, { ...login, ...inShell(script) }, signal)
  using limit = clock.deadline(stageLimits.preStart, signal)
  try {
    for (let pause = 500; ; pause = Math.min(2 * pause, 5_000)) {
      await clock.sleep(pause, limit.signal)
      const exit = await platform.guestExit(id, process, login, limit.signal)
      if (exit === 0) return
      if (exit !== undefined) throw PreStartFailed({ image, why: `ended with ${exit}` })
    }
  } catch (error) {
    if (!isOver(error, limit.signal, signal)) throw error
    throw PreStartFailed({ image, why: `did not end within ${formatDuration(stageLimits.preStart)}` })
  }
}

async function stage<T>(
  clock: Clock,
  limit: number,
  what: string,
  signal: AbortSignal,
  seen: () => string | Promise<string>,
  wait: (within: AbortSignal) => Promise<T>,
): Promise<T> {
  using deadline = clock.deadline(limit, signal)
  try {
    return await wait(deadline.signal)
  } catch (error) {
    if (!isOver(error, deadline.signal, signal)) throw error
    throw StageTooSlow({ what, minutes: limit / minute, seen: await seen() })
  }
}

/** Whether it was this stage's own time that was up, not that of the whole. */
function isOver(error: unknown, own: AbortSignal, whole: AbortSignal): boolean {
  return DeadlineExceeded.is(error) && own.aborted && !whole.aborted
}

/** What the guest reports, and what the platform says of how it was set up: asked only now, because most guests get their address. */
async function whyNoAddress({ platform, clock }: Readiness, id: string, signal: AbortSignal): Promise<string> {
  const reported = addressesOf(platform.inventory, id)
  using limit = clock.deadline(10_000, signal)
  const events = await platform.events(id, limit.signal).catch(() => [])
  const failure = events.findLast(({ type }) => type === 'notCustomized')
  return failure === undefined ? reported : `${reported}; ${failure.message}`
}

function addressesOf(inventory: Inventory, id: string): string {
  if (inventory.state.kind !== 'live') return `what the guest reports is not known: ${inventory.state.why}`
  const { addresses = [] } = (inventory.byId(id) ?? {}) as Partial<Vm>
  return addresses.length === 0 ? 'it reports none' : `it reports ${addresses.join(', ')}`
}

function isIpv4(address: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(address) && !address.startsWith('127.') && !address.startsWith('169.254.')
}
