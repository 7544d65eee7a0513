import type { Chance } from './chance.ts'

/** Between which limits to wait. */
export interface BackoffOptions {
  /** The longest wait before the first retry, in milliseconds. */
  readonly base: number
  /** The longest wait before any retry. */
  readonly cap: number
  readonly chance: Chance
}

/**
 * Milliseconds to wait before retry number `attempt` (the first is 1): anything between nothing and a limit that doubles each
 * time. Full jitter, because many who failed at one moment must not come back at one moment.
 */
export function backoff({ base, cap, chance }: BackoffOptions, attempt: number): number {
  const doublings = Math.min(Math.max(0, attempt - 1), 50)
  return Math.round(chance.fraction() * Math.min(cap, base * 2 ** doublings))
}
