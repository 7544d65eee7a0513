import { type Clock, isoTimeMicro, unlessAborted } from '../../ports/index.ts'
import { Lease } from '../../kinds/index.ts'
import { type Store, StoreError, undefinedIf } from '../../store/index.ts'

/** When a request began, on both clocks. */
export interface Moment {
  readonly monotonic: number
  readonly wall: number
}

/** What requests about a Lease need. */
export interface LeaseHolderOptions {
  readonly store: Pick<Store, 'get' | 'create' | 'update'>
  readonly clock: Clock
  readonly lease: { readonly namespace: string; readonly name: string }
  readonly identity: string
  /** Milliseconds that others must wait after a sign of life. */
  readonly duration: number
  /** Milliseconds that one request may take. */
  readonly requestLimit: number
}

/** What was last seen of the Lease, and when it was first seen like that, on this process's own monotonic clock. */
interface Sighting {
  readonly lease: Lease
  readonly at: number
}

/** The requests that an election makes about its Lease: look, take, renew, give back. Each has a deadline. */
export class LeaseHolder {
  readonly #options: LeaseHolderOptions
  #sighting: Sighting | undefined

  constructor(options: LeaseHolderOptions) {
    this.#options = options
  }

  /** Takes the lease if it is free. Resolves to the new term and when the request began; to undefined if another holds it. */
  async take(): Promise<{ readonly term: number; readonly began: Moment } | undefined> {
    const lease = await this.#look()
    if (lease !== undefined && !this.#isFree(lease)) return undefined
    const began = this.#moment()
    const acquireTime = isoTimeMicro(began.wall)
    // The term grows with every win, also of a lease that was our own: it must tell this leadership from the one before.
    const term = (lease?.spec.leaseTransitions ?? 0) + 1
    const spec = { ...lease?.spec, ...this.#signOfLife(began), acquireTime, leaseTransitions: term }
    await (lease === undefined ? this.#create(spec) : this.#update(lease, spec))
    return { term, began }
  }

  /** Gives a sign of life. Resolves to when the request began; to undefined if the lease is no longer ours. */
  async renew(term: number): Promise<Moment | undefined> {
    const known = this.#sighting?.lease
    const began = this.#moment()
    if (known !== undefined && this.#isOurs(known, term)) {
      try {
        await this.#update(known, { ...known.spec, ...this.#signOfLife(began) })
        return began
      } catch (error) {
        if (!StoreError.is(error, 'Conflict', 'NotFound')) throw error
      }
    }
    // Somebody touched it, or our own reply was lost: only a look can tell.
    const lease = await this.#look()
    if (lease === undefined || !this.#isOurs(lease, term)) return undefined
    const beganAgain = this.#moment()
    await this.#update(lease, { ...lease.spec, ...this.#signOfLife(beganAgain) })
    return beganAgain
  }

  /** Gives the lease back, so that another need not wait for its end. */
  async giveBack(term: number): Promise<void> {
    const lease = await this.#look()
    if (lease === undefined || !this.#isOurs(lease, term)) return
    const { holderIdentity: _, ...spec } = lease.spec
    await this.#update(lease, { ...spec, leaseDurationSeconds: 1 })
  }

  #isOurs({ spec }: Lease, term: number): boolean {
    return spec.holderIdentity === this.#options.identity && spec.leaseTransitions === term
  }

  /**
   * Whether nobody holds it, we do, or the holder gave no sign of life for as long as it promised to. What counts is how long
   * the Lease has not changed before our eyes; the times that are written in it are another clock's.
   */
  #isFree({ spec }: Lease): boolean {
    const { identity, duration, clock } = this.#options
    if (spec.holderIdentity === undefined || spec.holderIdentity === '' || spec.holderIdentity === identity) return true
    const promised = Math.max(duration, (spec.leaseDurationSeconds ?? 0) * 1000)
    return this.#sighting !== undefined && clock.monotonic() - this.#sighting.at >= promised
  }

  async #look(): Promise<Lease | undefined> {
    const { store, lease } = this.#options
    const seen = await this.#within(() => store.get(Lease, lease)).catch(undefinedIf('NotFound'))
    if (seen === undefined) this.#sighting = undefined
    else this.#saw(seen)
    return seen
  }

  #saw(lease: Lease): void {
    const before = this.#sighting?.lease.metadata
    const isSame = before?.uid === lease.metadata.uid && before?.resourceVersion === lease.metadata.resourceVersion
    // The time after the answer, not before the question: later is safer.
    if (!isSame) this.#sighting = { lease, at: this.#options.clock.monotonic() }
  }

  async #create(spec: Lease['spec']): Promise<void> {
    const { store, lease } = this.#options
    this.#saw(await this.#within(signal => store.create(Lease, { metadata: lease, spec }, { signal })))
  }

  async #update(lease: Lease, spec: Lease['spec']): Promise<void> {
    this.#saw(await this.#within(signal => this.#options.store.update(Lease, { ...lease, spec }, { signal })))
  }

  #signOfLife({ wall }: Moment) {
    const { identity, duration } = this.#options
    return { holderIdentity: identity, leaseDurationSeconds: Math.ceil(duration / 1000), renewTime: isoTimeMicro(wall) }
  }

  #moment(): Moment {
    return { monotonic: this.#options.clock.monotonic(), wall: this.#options.clock.now() }
  }

  /** A request that takes too long is given up, also if the store does not heed the signal. */
  async #within<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    using deadline = this.#options.clock.deadline(this.#options.requestLimit)
    return await unlessAborted(request(deadline.signal), deadline.signal)
  }
}
