import { Busy } from '../../platform/index.ts'
import { backoff, type Chance, Unreachable } from '../../ports/index.ts'
import type { Link } from './link.ts'
import type { SimulatedWorld } from './world.ts'
import type { WorldTask } from './world-task.ts'

const minute = 60_000

/** How often an unanswered call is tried again. */
const mostUnanswered = 6

/** A step towards a state of the world: how to see that it is reached, and how to get there. */
export interface Step<T> {
  readonly operation: string
  /** The VM's id, or the name of one that is to be made. */
  readonly target: string
  /** Milliseconds for all of it, waits and retries included. */
  readonly limit: number
  /** For how long to wait while another task holds the target. Default a minute. */
  readonly busyFor?: number
  /** What there is if nothing is left to do. Throws if it never can be done. */
  readonly look: () => T | undefined
  readonly start: (key: string) => WorldTask<T>
}

/** How a client gets something done on a link that loses calls and replies. */
export class Reaching {
  readonly #link: Link
  readonly #world: SimulatedWorld
  readonly #chance: Chance

  constructor(link: Link, world: SimulatedWorld, chance: Chance) {
    this.#link = link
    this.#world = world
    this.#chance = chance
  }

  /**
   * Looks, and acts only if there is something to do; after a lost reply it looks again before it acts again. When the caller
   * gives up, the task is called off first.
   */
  async reach<T>(step: Step<T>, signal: AbortSignal): Promise<T> {
    using deadline = this.#world.clock.deadline(step.limit, signal)
    const key = this.#chance.uuid()
    let sent = false
    const act = async () => {
      const there = await this.#link.ask('look', step.look, deadline.signal)
      if (there !== undefined) return there
      const begin = () => (this.#world.taskByKey(key) as WorldTask<T> | undefined) ?? step.start(key)
      sent = true
      const task = await this.#link.send(step.operation, begin, deadline.signal)
      await this.#ended(task, deadline.signal)
      return task.result()
    }
    try {
      return await this.persist(deadline.signal, act, step.busyFor)
    } catch (error) {
      if (sent && deadline.signal.aborted) await this.#callOff(key)
      throw error
    }
  }

  /** Tries again what was not answered, a few times, and what is busy, for a while. */
  async persist<T>(signal: AbortSignal, act: () => Promise<T>, busyFor = minute): Promise<T> {
    const { clock } = this.#world
    const since = clock.monotonic()
    let unanswered = 0
    for (let attempt = 1; ; attempt++) {
      try {
        return await act()
      } catch (error) {
        await this.#link.alive()
        signal.throwIfAborted()
        const again = Unreachable.is(error) ? ++unanswered < mostUnanswered : Busy.is(error) && clock.monotonic() - since < busyFor
        if (!again) throw error
      }
      await clock.sleep(500 + backoff({ base: 1_000, cap: 10_000, chance: this.#chance }, attempt), signal)
    }
  }

  /** Resolves when a task is over and the news of it has come here. */
  async #ended<T>(task: WorldTask<T>, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const stop = () => reject(signal.reason)
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      void task.ended.then(() => {
        signal.removeEventListener('abort', stop)
        resolve()
      })
    })
    await this.#world.clock.sleep(this.#world.draw(this.#world.timings.watch), signal)
    await this.#link.alive()
  }

  /** Calls off what a call may have begun. If the platform cannot be reached for that, the task ends by itself. */
  async #callOff(key: string): Promise<void> {
    using deadline = this.#world.clock.deadline(minute)
    const cancel = () => this.#world.cancelTask(key)
    await this.persist(deadline.signal, () => this.#link.send('cancel', cancel, deadline.signal)).catch(() => {})
  }
}
