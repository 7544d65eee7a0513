/** What one thing to measure came to. */
export interface Result {
  readonly name: string
  readonly unit: string
  /** Aviary's median, and the peer's if there is one. */
  readonly value: number
  readonly peer?: number
  /** How many times better than the peer; above 1 is better, whatever the unit. */
  readonly ratio?: number
  /** What it should come to, and whether it does. A benchmark is never a gate. */
  readonly target?: string
  readonly met?: boolean
  /** Every round, and whatever else is worth keeping. */
  readonly details: unknown
}
