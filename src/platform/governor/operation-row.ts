import { isoTime } from '../../ports/index.ts'
import type { Governor, Running, Waiting } from './governor.ts'

/** One operation on a platform as people look at it: under way, or held back and why. */
export interface OperationRow {
  readonly platform: string
  readonly state: 'Running' | 'Waiting'
  /** 1 is the next to begin; 0 for what is under way. */
  readonly position: number
  readonly operation: string
  /** The VM by name, and by its id where it has one. */
  readonly vm: string
  /** For whom. */
  readonly owner: string
  /** The host that bears it; empty if not known. */
  readonly host: string
  /** What it takes of what the host may bear at once. */
  readonly weight: number
  /** Since when it is under way, or held back. */
  readonly since: string
  /** When whoever waits gives up; empty for what is under way. */
  readonly until: string
  /** Why it is held back; empty for what is under way. */
  readonly reason: Waiting['reason'] | ''
  readonly message: string
}

/** What a governor lets go on and what it holds back, in the order in which they would be served. `nameOf` names a VM by its id. */
export function operationRows(governor: Governor, nameOf: (id: string) => string | undefined): readonly OperationRow[] {
  const vmOf = (target: string) => {
    const name = nameOf(target)
    return name === undefined ? target : `${name} (${target})`
  }
  const { platform } = governor
  const row = ({ operation, target, owner, host = '', weight, since }: Running) => ({
    platform,
    operation,
    vm: vmOf(target),
    owner,
    host,
    weight,
    since: isoTime(since),
  })
  const running = governor.running().map((work): OperationRow => {
    return { ...row(work), state: 'Running', position: 0, until: '', reason: '', message: '' }
  })
  const waiting = governor.waiting().map((work): OperationRow => {
    const { position, until, reason, message } = work
    return { ...row(work), state: 'Waiting', position, until: isoTime(until), reason, message }
  })
  return [...running, ...waiting]
}
