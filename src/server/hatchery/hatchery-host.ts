import type { Clock, Log } from '../../ports/index.ts'
import type { Controller, ControllerContext } from '../../control/index.ts'
import type { Hatchery } from '../../hatchery/index.ts'
import type { OperationRow } from '../../platform/index.ts'

/** A hatchery with all that it stands on, which ends with it. */
export interface HatcheryWithGround extends AsyncDisposable {
  readonly hatchery: Hatchery
  /** What it has under way on its platform, and what is held back and why. */
  operations(): readonly OperationRow[]
  /** Puts its pages on their port and starts it. Resolves when it works. */
  start(): Promise<void>
}

/** How long nothing is tried after CDS has turned the hatchery away. */
const pause = 60_000

/**
 * The hatchery of this program: there while the program may act, and begun anew if it comes to an end by itself, because CDS did not
 * let it in or the port of its pages is taken. Who wants to show it asks for `current`.
 */
export class HatcheryHost {
  readonly controller: Controller
  /** Resolves with the reason when it has come to an end by itself for the first time. */
  readonly failed: Promise<unknown>
  #fail: (reason: unknown) => void = () => {}
  #current: HatcheryWithGround | undefined

  constructor(make: (context: ControllerContext) => Promise<HatcheryWithGround>) {
    this.failed = new Promise(resolve => (this.#fail = resolve))
    this.controller = {
      name: 'hatchery',
      start: context => {
        const ending = new AbortController()
        const running = this.#keepRunning(() => make(context), context, ending.signal)
        const stop = async () => {
          ending.abort(new Error('the program stops'))
          await running
        }
        // Whether CDS and vCenter answer is no reason not to serve: it is told by the hatchery's own status.
        return { ready: Promise.resolve(), stop }
      },
    }
  }

  /** Undefined while none runs. */
  get current(): Hatchery | undefined {
    return this.#current?.hatchery
  }

  /** What the hatchery has under way on its platform, and what is held back and why. */
  operations(): readonly OperationRow[] {
    return this.#current?.operations() ?? []
  }

  async #keepRunning(
    make: () => Promise<HatcheryWithGround>,
    { clock, log }: { readonly clock: Clock; readonly log: Log },
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#runOnce(await make(), signal)
      } catch (error) {
        if (signal.aborted) return
        log.error('the hatchery has come to an end; it is begun again', { error, afterMilliseconds: pause })
        this.#fail(error)
        await clock.sleep(pause, signal).catch(() => {})
      }
    }
  }

  async #runOnce(made: HatcheryWithGround, signal: AbortSignal): Promise<void> {
    await using ground = made
    const { hatchery } = ground
    const stop = () => void hatchery.stop()
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (signal.aborted) return
      this.#current = ground
      await ground.start()
      await hatchery.ended
    } finally {
      signal.removeEventListener('abort', stop)
      this.#current = undefined
      await hatchery.stop()
    }
  }
}
