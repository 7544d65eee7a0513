import { GuestLoginRefused, GuestNotReady, NotThere, type GuestCommand, type GuestProgram } from '../../platform/index.ts'
import type { VsphereConnection } from '../connection.ts'
import { isFault } from '../soap/session.ts'
import { afterglow, maybeDone } from '../soap/unanswered.ts'
import type { GuestProcess } from '../vim/guest-operations.ts'
import { answered } from './carry-out.ts'
import { knownVm, vmRef } from './vm-access.ts'

/** Starts a program in the guest once: after a lost answer the guest's list of processes says whether it runs. */
export async function runInGuest(connection: VsphereConnection, id: string, command: GuestCommand, signal: AbortSignal): Promise<number> {
  await connection.live(signal)
  const { name } = knownVm(connection, id)
  try {
    const process = await startOnce(connection, id, command, signal)
    connection.started.add(id, process)
    return process
  } catch (error) {
    if (isFault(error, 'InvalidGuestLogin')) throw GuestLoginRefused({ name, user: command.user }, { cause: error })
    if (isFault(error, 'InvalidPowerState')) throw GuestNotReady({ name, why: 'it is not powered on' }, { cause: error })
    throw error
  }
}

async function startOnce(connection: VsphereConnection, id: string, command: GuestCommand, signal: AbortSignal): Promise<number> {
  const { guests, clock, started } = connection
  const vm = vmRef(id)
  for (let attempt = 1; ; attempt++) {
    try {
      return await guests.start(vm, command, signal)
    } catch (error) {
      if (signal.aborted || !maybeDone(error) || attempt === 3) throw error
      await clock.sleep(afterglow, signal)
      const processes = await answered(connection, () => guests.list(vm, command, [], signal), signal)
      // The same program may have been started before, by a call that was answered.
      const ours = processes.filter(each => each.owner === command.user && isRunOf(each, command) && !started.has(id, each.id))
      const newest = ours.map(each => each.id).toSorted((one, other) => other - one)[0]
      if (newest !== undefined) return newest
    }
  }
}

/** Whether a guest shows this program. VMware Tools put it in quotation marks, and run it by a shell, which stands before it then. */
function isRunOf({ command: shown }: GuestProcess, { program, args }: GuestCommand): boolean {
  return [`${program} ${args}`, `"${program}" ${args}`].some(line => shown.includes(line.trim()))
}

/** The exit code of a program, or undefined while it runs. */
export async function guestExit(
  connection: VsphereConnection,
  id: string,
  process: number,
  credentials: Pick<GuestCommand, 'user' | 'password'>,
  signal: AbortSignal,
): Promise<number | undefined> {
  const [found] = await programs(connection, id, credentials, [process], signal)
  // Guests forget programs a few minutes after their end, and with them how they ended.
  if (found === undefined) throw NotThere({ what: `program in the guest of "${knownVm(connection, id).name}"`, name: String(process) })
  return found.ended ? (found.exitCode ?? 0) : undefined
}

/** The programs of a guest that run, or ended a few minutes ago at most. */
export async function guestPrograms(
  connection: VsphereConnection,
  id: string,
  credentials: Pick<GuestCommand, 'user' | 'password'>,
  signal: AbortSignal,
): Promise<readonly GuestProgram[]> {
  const found = await programs(connection, id, credentials, [], signal)
  return found.map(({ id: process, command, ended }) => ({ process, command, isOver: ended }))
}

async function programs(
  connection: VsphereConnection,
  id: string,
  credentials: Pick<GuestCommand, 'user' | 'password'>,
  processes: readonly number[],
  signal: AbortSignal,
): Promise<readonly GuestProcess[]> {
  await connection.live(signal)
  const { name } = knownVm(connection, id)
  try {
    return await answered(connection, () => connection.guests.list(vmRef(id), credentials, processes, signal), signal)
  } catch (error) {
    if (isFault(error, 'InvalidGuestLogin')) throw GuestLoginRefused({ name, user: credentials.user }, { cause: error })
    throw error
  }
}
