import type { PlatformCall, PlatformOperation } from '../around-calls.ts'

/** How much may go on at once on one platform. */
export interface GovernorLimits {
  /** Operations at once on the whole platform. Undefined, the default: as many as its hosts bear, at least 32 and at most 512. */
  readonly total: number | undefined
  /** Weight at once on one host. Default 8, about what vCenter lets one host do before it queues by itself. */
  readonly perHost: number
  /** What an operation weighs on its host. Default 1, a full clone 4. */
  readonly weights: Readonly<Partial<Record<GovernedOperation | 'fullClone', number>>>
  /** Milliseconds after which somebody who waits gives up. Default 15 minutes. */
  readonly longestWait: number
}

/** The operations that make work for the platform; reading and waiting does not. */
export type GovernedOperation = Extract<
  PlatformOperation,
  'clone' | 'claim' | 'rename' | 'annotate' | 'powerOn' | 'powerOff' | 'destroy' | 'markAsTemplate'
>

const governedOperations: ReadonlySet<string> = new Set<GovernedOperation>([
  'clone',
  'claim',
  'rename',
  'annotate',
  'powerOn',
  'powerOff',
  'destroy',
  'markAsTemplate',
])

/** Limits that suit a middling vCenter. */
export const usualLimits: GovernorLimits = { total: undefined, perHost: 8, weights: { fullClone: 4 }, longestWait: 15 * 60_000 }

/** How many operations at once suit a platform with so many hosts. */
export function totalOf(hosts: number, perHost: number): number {
  return Math.min(512, Math.max(32, hosts * perHost))
}

/** Whether a call is one that is held back when there is too much going on. */
export function isGoverned(call: PlatformCall): call is PlatformCall & { readonly operation: GovernedOperation } {
  return governedOperations.has(call.operation)
}

/** What an operation weighs on its host; never more than the host bears, or it would wait for ever. */
export function weightOf(operation: GovernedOperation, isFullClone: boolean, limits: GovernorLimits): number {
  return Math.min(limits.perHost, limits.weights[isFullClone ? 'fullClone' : operation] ?? 1)
}
