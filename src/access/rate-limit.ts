import type { Clock } from '../ports/index.ts'

/** How often one caller may ask. */
export interface RateLimitOptions {
  /** Requests a second in the long run; 0 means no limit. */
  readonly requestsPerSecond: number
  /** Requests at once after a quiet time. */
  readonly burst: number
  readonly clock: Clock
}

interface Bucket {
  tokens: number
  filledAt: number
}

/** So many callers are remembered. A caller whose bucket is full again can be forgotten: nothing is lost with it. */
const maxBuckets = 10_000

/** A token bucket for each caller: what one of them uses up is not missed by the others. */
export class RateLimit {
  readonly #rate: number
  readonly #burst: number
  readonly #clock: Clock
  readonly #buckets = new Map<string, Bucket>()
  #sweptAt = -Infinity

  constructor({ requestsPerSecond, burst, clock }: RateLimitOptions) {
    this.#rate = requestsPerSecond / 1000
    this.#burst = burst
    this.#clock = clock
  }

  /** Undefined if the caller may go on now, else the whole seconds after which it may. */
  take(caller: string): number | undefined {
    if (this.#rate === 0) return undefined
    const bucket = this.#bucket(caller)
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1
      return undefined
    }
    return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#rate / 1000))
  }

  #bucket(caller: string): Bucket {
    const now = this.#clock.monotonic()
    const known = this.#buckets.get(caller)
    if (known === undefined) {
      if (this.#buckets.size >= maxBuckets) this.#forget(now)
      const fresh = { tokens: this.#burst, filledAt: now }
      this.#buckets.set(caller, fresh)
      return fresh
    }
    known.tokens = Math.min(this.#burst, known.tokens + (now - known.filledAt) * this.#rate)
    known.filledAt = now
    return known
  }

  /** Forgets the callers whose buckets are full again, looking at most once a second; else the one that is remembered longest. */
  #forget(now: number): void {
    if (now - this.#sweptAt >= 1000) {
      this.#sweptAt = now
      for (const [caller, bucket] of this.#buckets) {
        if (bucket.tokens + (now - bucket.filledAt) * this.#rate >= this.#burst) this.#buckets.delete(caller)
      }
    }
    if (this.#buckets.size < maxBuckets) return
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined) this.#buckets.delete(oldest)
  }
}
