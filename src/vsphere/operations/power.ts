import { GuestNotReady, QuestionPending, type Vm } from '../../platform/index.ts'
import { DeadlineExceeded } from '../../ports/index.ts'
import type { VsphereConnection } from '../connection.ts'
import { isFault } from '../soap/session.ts'
import { isUnanswered, maybeDone } from '../soap/unanswered.ts'
import { retrieveOne } from '../vim/property-collector.ts'
import { childText } from '../xml/element.ts'
import { answered, carryOut } from './carry-out.ts'
import { knownVm, readVm, vmRef, wrote } from './vm-access.ts'

/** What is no longer true of a VM that is off. */
const off: Partial<Vm> = { power: 'off', guestReady: false, bootedAt: undefined, addresses: [] }
const on: Partial<Vm> = { power: 'on' }

/** Powers a VM on or off; resolves at once if it already is. */
export async function setPower(
  connection: VsphereConnection,
  id: string,
  power: 'on' | 'off',
  signal: AbortSignal,
  timeout: number,
): Promise<Vm> {
  await connection.live(signal)
  const { inventory } = connection
  const known = knownVm(connection, id)
  if (known.power === power) return known
  const change = power === 'on' ? on : off
  const ifThere = async (limit: AbortSignal) => {
    const now = await readVm(connection, id, limit)
    return now?.power === power ? wrote(connection, id, change, limit) : undefined
  }
  try {
    return await carryOut(
      connection,
      {
        method: power === 'on' ? 'PowerOnVM_Task' : 'PowerOffVM_Task',
        on: vmRef(id),
        target: `${known.name} (${id})`,
        timeout,
        shows: () => inventory.byId(id)?.power === power,
        done: (_, limit) => wrote(connection, id, change, limit),
        look: ifThere,
      },
      signal,
    )
  } catch (error) {
    if (DeadlineExceeded.is(error) && !signal.aborted) throw await whyNot(connection, known, error, signal)
    // Somebody else was faster, or the guest was.
    const there = isFault(error, 'InvalidPowerState') ? await answered(connection, () => ifThere(signal), signal) : undefined
    if (there === undefined) throw error
    return there
  }
}

/** A task that does not end may wait for a person: vCenter asks, for instance, what to do about a disk that is full or locked. */
async function whyNot({ session, log }: VsphereConnection, { id, name }: Vm, late: Error, signal: AbortSignal): Promise<Error> {
  try {
    const question = (await retrieveOne(session, vmRef(id), ['runtime.question'], signal))?.get('runtime.question')
    return question === undefined ? late : QuestionPending({ name, question: childText(question, 'text') ?? '' }, { cause: late })
  } catch (error) {
    log.debug('whether vCenter waits for an answer is not known', { vm: name, error })
    return late
  }
}

/** Asks the guest to shut down. After a lost answer it is asked again, which does no harm, unless it is off by then. */
export async function shutDownGuest(connection: VsphereConnection, id: string, signal: AbortSignal): Promise<void> {
  await connection.live(signal)
  const { name, power, guestReady } = knownVm(connection, id)
  if (power !== 'on') throw GuestNotReady({ name, why: `it is powered ${power}` })
  try {
    await connection.session.call('ShutdownGuest', vmRef(id), {}, { signal })
  } catch (error) {
    if (signal.aborted || !isUnanswered(error)) throw error
    const now = await answered(connection, () => readVm(connection, id, signal), signal)
    if (now?.power !== 'on') return
    await connection.session.call('ShutdownGuest', vmRef(id), {}, { signal }).catch((refused: unknown) => {
      // A guest that took commands before and does not now has heard it the first time.
      const isGoing = maybeDone(error) && guestReady && isFault(refused, 'ToolsUnavailable', 'InvalidPowerState')
      if (!isGoing) throw refused
    })
  }
}
