import { type IndexedInventory, SignInRefused, type Vm } from '../../platform/index.ts'
import { Unreachable } from '../../ports/index.ts'
import type { SimulatedWorld } from './world.ts'

/** Milliseconds that a call may take. */
const callLimit = 15_000

/** Milliseconds between attempts to reach a platform that does not answer. */
const reconnectEvery = 5_000

/** One client's connection to a simulated world: calls, session and watch, and everything that can go wrong with them. */
export class Link {
  readonly #name: string
  readonly #world: SimulatedWorld
  readonly #inventory: IndexedInventory
  readonly #stop: () => void
  #reports: { readonly id: string; readonly vm: Vm | undefined }[] = []
  #session = 0
  #signingIn: Promise<void> | undefined
  #refused: Error | undefined
  #end: 'closed' | 'crashed' | undefined

  constructor(name: string, world: SimulatedWorld, inventory: IndexedInventory) {
    this.#name = name
    this.#world = world
    this.#inventory = inventory
    this.#stop = world.listen({ changed: (id, vm) => this.#changed(id, vm), disturbed: () => this.#disturbed() })
    this.#inventory.syncing('it is being read for the first time')
    void this.#signIn()
  }

  /** Reads something. An abort ends the wait at once. */
  ask<T>(operation: string, read: () => T, signal: AbortSignal): Promise<T> {
    return this.#call(operation, read, signal, signal)
  }

  /** Changes something. Once it is sent an abort waits for the answer, because the caller must know what to call off. */
  send<T>(operation: string, act: () => T, signal: AbortSignal): Promise<T> {
    return this.#call(operation, act, signal, undefined)
  }

  /** Signs out. */
  close(): void {
    this.#end ??= 'closed'
    this.#stop()
    this.#inventory.lost('the connection is closed')
  }

  /** The program is gone: no call is answered any more, nothing is reported. */
  crash(): void {
    this.#end = 'crashed'
    this.#stop()
  }

  /** Never resolves once the program is gone. */
  alive(): Promise<void> {
    return this.#end === 'crashed' ? new Promise(() => {}) : Promise.resolve()
  }

  async #call<T>(operation: string, act: () => T, signal: AbortSignal, waiting: AbortSignal | undefined): Promise<T> {
    const { clock, timings, faults, chance } = this.#world
    signal.throwIfAborted()
    await this.#signedIn(signal)
    const [there, back] = [this.#world.draw(timings.call) / 2, this.#world.draw(timings.call) / 2]
    await clock.sleep(there, signal)
    // The session may have ended while the call was on its way: it was refused then, and is sent again.
    await this.#signedIn(signal)
    await this.alive()
    const fault = faults.next(operation)
    if (fault === 'before') throw this.#unreachable('connection refused', false)
    const arrives = fault !== 'hang' || chance.fraction() < 0.5
    const answer = arrives ? attempt(act) : undefined
    await clock.sleep(fault === 'hang' ? callLimit : back, waiting)
    await this.alive()
    if (fault !== undefined || answer === undefined)
      throw this.#unreachable(fault === 'hang' ? 'no answer in time' : 'connection reset', true)
    if ('error' in answer) throw answer.error
    return answer.result
  }

  async #signedIn(signal: AbortSignal): Promise<void> {
    if (this.#end === 'closed') throw this.#unreachable('this connection is closed', false)
    if (this.#refused !== undefined) throw this.#refused
    if (!this.#world.reachable) throw this.#unreachable('connection refused', false)
    if (this.#session === this.#world.session) return
    await Promise.race([this.#signIn(), aborted(signal)])
    if (this.#refused !== undefined) throw this.#refused
  }

  #unreachable(why: string, sent: boolean): Error {
    return Unreachable({ target: this.#name, why, sent })
  }

  #disturbed(): void {
    this.#reports = []
    this.#inventory.syncing(this.#world.reachable ? 'the session ended' : 'the platform does not answer')
    void this.#signIn()
  }

  /** Signs in and reads everything anew; one attempt at a time, shared by all who wait. */
  #signIn(): Promise<void> {
    this.#signingIn ??= this.#tryToSignIn().finally(() => {
      this.#signingIn = undefined
    })
    return this.#signingIn
  }

  async #tryToSignIn(): Promise<void> {
    const { clock, timings } = this.#world
    for (;;) {
      await clock.sleep(this.#world.draw(timings.call))
      if (this.#end !== undefined || this.#refused !== undefined) return
      if (this.#world.refusesSignIn) {
        // Not again: a few more attempts would lock the account.
        this.#refused = SignInRefused({ platform: this.#name, user: 'simulated', why: 'the credentials are wrong' })
        this.#inventory.lost(this.#refused.message)
        return
      }
      if (this.#world.reachable) break
      await clock.sleep(reconnectEvery)
    }
    this.#session = this.#world.session
    this.#reports = []
    this.#inventory.replace(this.#world.vms())
  }

  #changed(id: string, vm: Vm | undefined): void {
    if (this.#session !== this.#world.session || !this.#world.reachable) return
    this.#reports.push({ id, vm })
    if (this.#reports.length === 1) this.#world.clock.after(this.#world.draw(this.#world.timings.watch), () => this.#report())
  }

  #report(): void {
    if (this.#end !== undefined) return
    const reports = this.#reports
    this.#reports = []
    for (const { id, vm } of reports) {
      if (vm === undefined) this.#inventory.drop(id)
      else this.#inventory.put(vm)
    }
  }
}

function attempt<T>(act: () => T): { readonly result: T } | { readonly error: unknown } {
  try {
    return { result: act() }
  } catch (error) {
    return { error }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
