import type { Timer } from '../../ports/index.ts'
import type { Parts } from './parts.ts'

const tick = 10_000
const ticksInAMinute = 6

/**
 * What CDS does by itself, by the clock: every 10 seconds it looks after workers, every minute after jobs. While nothing is there
 * to look after it rests, so that a clock can come to its end.
 */
export class Sweeper {
  readonly #parts: Parts
  #timer: Timer | undefined
  #ticks = 0

  constructor(parts: Parts) {
    this.#parts = parts
    parts.witness.listen(() => this.#wake())
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #wake(): void {
    this.#timer ??= this.#parts.clock.after(tick, () => this.#sweep())
  }

  #sweep(): void {
    this.#timer = undefined
    const { queueV1, queueV2, workersV1, workersV2, accounts } = this.#parts
    this.#ticks++
    queueV1.sweep()
    workersV1.sweep()
    workersV2.sweepDisabled()
    if (this.#ticks % ticksInAMinute === 0) {
      workersV2.sweepDead()
      queueV2.sweep()
      accounts.sweep()
    }
    if (this.#isBusy()) this.#wake()
  }

  #isBusy(): boolean {
    const { queueV1, queueV2, workersV1, workersV2 } = this.#parts
    if (workersV1.all().length > 0 || workersV2.all().length > 0) return true
    for (const _ of queueV1.live()) return true
    for (const _ of queueV2.live()) return true
    return false
  }
}
