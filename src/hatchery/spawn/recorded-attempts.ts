import type { Spawn } from '../../kinds/index.ts'
import { isoTime, parseTime } from '../../ports/index.ts'
import type { Tries } from '../gates/attempts.ts'
import type { SpawnChange } from './spawn-records.ts'

/** What the record of a job tells of the attempts at it. */
export function recordedAttempts({ count, since, pauseUntil }: Tries): SpawnChange {
  return { attempts: count, attemptsSince: isoTime(since), pauseUntil: isoTime(pauseUntil) }
}

/** The attempts that a record tells of; undefined if none failed. An older version did not write when they were. */
export function readAttempts(status: Spawn['status'], now: number): Tries | undefined {
  const { attempts, attemptsSince, pauseUntil } = status ?? {}
  if (attempts === undefined) return undefined
  return {
    count: attempts,
    since: attemptsSince === undefined ? now : parseTime(attemptsSince),
    pauseUntil: pauseUntil === undefined ? 0 : parseTime(pauseUntil),
  }
}
