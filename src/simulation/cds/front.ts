import { type Chance, type Clock, type ServedRequest, type ServedResponse, type ServedWebSocket, Unreachable } from '../../ports/index.ts'
import type { LinkFaults } from '../platform/link-faults.ts'
import type { Router } from './router.ts'
import type { Sockets } from './sockets.ts'

/** What lies between clients and the API. */
export interface FrontOptions {
  readonly clock: Clock
  readonly chance: Chance
  readonly url: string
  readonly router: Router
  readonly sockets: Sockets
  readonly faults: LinkFaults
  /** Milliseconds for a call there and back, from and to. */
  readonly call: readonly [from: number, to: number]
}

/** The way to the API: it takes time, and things go wrong on it. */
export class Front {
  readonly calls = new Map<string, number>()
  readonly #options: FrontOptions
  #reachable = true

  constructor(options: FrontOptions) {
    this.#options = options
  }

  setReachable(reachable: boolean): void {
    this.#reachable = reachable
    if (!reachable) this.#options.sockets.endAll('breakOff')
  }

  /** A request that was sent arrives and is carried out, even if its sender no longer waits. */
  async answer(request: ServedRequest): Promise<ServedResponse> {
    const { clock, chance, router, faults } = this.#options
    const name = router.nameOf(request)
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1)
    const fault = faults.next(name)
    this.#mustReach(fault !== 'before')
    await clock.sleep(this.#half())
    this.#mustReach()
    const arrives = fault !== 'hang' || chance.fraction() < 0.5
    const answer = arrives ? router.answer(request) : undefined
    if (fault === 'hang' || answer === undefined) return await new Promise(() => {})
    await clock.sleep(this.#half())
    if (fault === 'after' || !this.#reachable) throw this.#unreachable('connection reset', true)
    return answer
  }

  async accept(request: ServedRequest, socket: ServedWebSocket): Promise<ServedResponse | undefined> {
    const { clock, sockets, faults } = this.#options
    const name = request.url.pathname === '/ws' ? 'web socket v1' : 'web socket v2'
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1)
    const fault = faults.next(name)
    this.#mustReach(fault !== 'before')
    await clock.sleep(this.#half())
    this.#mustReach()
    if (fault === 'hang') return await new Promise(() => {})
    const refusal = sockets.accept(request, socket)
    await clock.sleep(this.#half())
    if (fault === 'after') {
      socket.breakOff()
      throw this.#unreachable('connection reset', true)
    }
    return refusal
  }

  #mustReach(connects = true): void {
    if (!this.#reachable || !connects) throw this.#unreachable('connection refused', false)
  }

  #unreachable(why: string, sent: boolean): Error {
    return Unreachable({ target: this.#options.url, why, sent })
  }

  #half(): number {
    const [from, to] = this.#options.call
    return (from + Math.floor(this.#options.chance.fraction() * (to - from + 1))) / 2
  }
}
