import { NotSynced } from '../../control/index.ts'
import { InventoryNotLive } from '../../platform/index.ts'
import type { Clock } from '../../ports/index.ts'
import { CdsRefused } from '../cds/errors.ts'
import { WorkersNotKnown } from '../errors.ts'
import type { Refusal, Verdict } from './verdict.ts'

/** How long after a question that was not answered it is worth asking again. */
const askAgain = 5_000

/** Ends a decision wherever it is with what it came to. Never leaves the gates. */
export class Decided extends Error {
  readonly verdict: Verdict

  constructor(verdict: Verdict) {
    super(verdict.kind)
    this.verdict = verdict
  }
}

/** Goes on if there is nothing to object, else ends the decision. */
export function mustPass(refusal: Refusal | undefined): void {
  if (refusal !== undefined) throw new Decided({ kind: 'wait', refusal })
}

/** Ends the decision: the job is not ours to start. */
export function drop(why: string): never {
  throw new Decided({ kind: 'drop', why })
}

/** Nothing may be begun while it is not known what there is. */
export function inventoryUnknown(why: string): Refusal {
  return {
    gate: 'Inventory',
    reason: 'InventoryNotLive',
    message: `which VMs there are is not known at the moment: ${why}`,
    unblock: 'it goes on by itself when vCenter answers; nothing is started, removed or disabled meanwhile',
  }
}

/** Why an error keeps a job waiting: something that must be known is not. Undefined for any other error. */
export function refusalOf(error: unknown, clock: Clock): Refusal | undefined {
  const until = clock.now() + askAgain
  if (InventoryNotLive.is(error)) return inventoryUnknown(error.details.why)
  if (NotSynced.is(error)) return { gate: 'Inventory', reason: 'AddressesNotKnown', message: error.message, until }
  if (WorkersNotKnown.is(error)) return { gate: 'Capacity', reason: 'WorkersNotKnown', message: error.message, until }
  return undefined
}

/** Answers that tell of our session, or of whoever stands in for a CDS that is away, and not of what was asked. */
const saysNothing: ReadonlySet<number> = new Set([401, 403, 502, 503, 504])

/**
 * Asks CDS. Without an answer the decision ends, and the job waits. That CDS answers with an error says something of this job, or of
 * what it asks for; that it does not answer may say something of CDS.
 */
export async function ask<T>(gate: Refusal['gate'], what: string, clock: Clock, question: () => Promise<T>): Promise<T> {
  try {
    return await question()
  } catch (error) {
    if (error instanceof Decided || refusalOf(error, clock) !== undefined) throw error
    const message = `CDS could not be asked for ${what}: ${(error as Error).message}`
    const reason = CdsRefused.is(error) && !saysNothing.has(error.details.status) ? 'CdsRefuses' : 'CdsNotAnswering'
    const refusal: Refusal = { gate, reason, message, until: clock.now() + askAgain }
    throw new Decided({ kind: 'wait', refusal })
  }
}
