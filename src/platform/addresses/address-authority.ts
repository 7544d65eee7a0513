import { createHash } from 'node:crypto'
import { type Chance, type Clock, isoTime, type Log } from '../../ports/index.ts'
import { Informer } from '../../control/index.ts'
import { AddressLease } from '../../kinds/index.ts'
import { fieldSelectorValue, type Store, StoreError, undefinedIf } from '../../store/index.ts'
import { AddressLeaseLost, NoAddressFree } from '../errors.ts'
import type { GuestAddress, Platform, Vm } from '../platform.ts'
import type { AddressNetwork } from './address-network.ts'
import { addressRivals, firstRival, indexAddresses, type VmAddress, vmsWithAddress } from './address-rivals.ts'
import { type AddressCounts, countAddresses } from './address-counts.ts'
import { LeaseSweeper } from './lease-sweeper.ts'
import { leaseName } from './lease-name.ts'
import { isElsewhere, ofPart } from './lease-part.ts'
import { TakenAddresses } from './taken-addresses.ts'

/** What an authority over addresses needs. One authority per platform; several programs may each have one. */
export interface AddressAuthorityOptions {
  readonly store: Store
  readonly platform: Platform
  /**
   * Which part of the platform this program sees, if others see other parts of it: on vSphere a datacenter. What it does not see of
   * theirs is no reason to take their VMs for gone. To be written in the letters, digits and signs of a label.
   */
  readonly part?: () => Promise<string>
  /** In the order in which they are used. None: guests get their addresses by DHCP. */
  readonly networks: readonly AddressNetwork[]
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** Whether somebody answers at an address that nobody should hold. Default: not asked. */
  readonly probe?: (address: string, signal: AbortSignal) => Promise<boolean>
}

/** An address that is held for a VM. While it is not disposed of the lease is renewed, however long the VM takes to be made. */
export interface HeldAddress extends Disposable {
  /** Undefined with DHCP. */
  readonly address: string | undefined
  /** Undefined with DHCP. */
  readonly network: string | undefined
  /** How the guest is to be set up. */
  readonly guest: GuestAddress
  /**
   * Rejects with AddressLeaseLost if the lease is no longer the holder's: this program stood still for so long that others took it
   * for dead. To be asked right before the address is used.
   */
  confirm(signal: AbortSignal): Promise<void>
  /** Another VM has it (see `rivalOf`), and the one that it was held for is gone: the holder gets another one the next time. */
  giveUp(): Promise<void>
}

/** Which address. Networks that do not know each other may have the same ones. */
export interface NetworkAddress {
  readonly network: string
  readonly address: string
}

/** How long a VM waits for younger ones to leave it its address. */
const patience = 30_000

/**
 * Gives each VM an address that nobody else has. An address is taken if a lease, an annotation, a guest or a name says so.
 * The lease is made before anything else is done with the address, under a name that only one can have; it is removed only when
 * nothing shows the address any more (see LeaseSweeper). So neither a crash nor a second program with the same store makes two VMs
 * share one. A program with a store of its own knows no such leases: that is what `rivalOf` is for.
 */
export class AddressAuthority {
  readonly #options: AddressAuthorityOptions
  readonly #leases: Informer<AddressLease>
  readonly #sweeper: LeaseSweeper
  readonly #taken: TakenAddresses
  /** Holders whose VM is being made by this program, with how often they are held. */
  readonly #inFlight = new Map<string, number>()
  /** Whether somebody who knows nothing of these leases was seen to give out the same addresses. */
  #isShared = false

  constructor(options: AddressAuthorityOptions) {
    const { store, clock, chance, log, platform } = options
    this.#options = options
    const selection = { fieldSelector: `spec.platform=${fieldSelectorValue(platform.name)}` }
    const indexes = { holder: ({ spec }: AddressLease) => (spec.holder === undefined ? [] : [spec.holder]) }
    this.#leases = new Informer({ store, kind: AddressLease, clock, chance, log, selection, indexes })
    // At once, not when somebody first decides something by it: all VMs there are would have to be looked at then.
    indexAddresses(platform.inventory)
    this.#taken = new TakenAddresses(options.networks, platform.inventory, this.#leases)
    this.#sweeper = new LeaseSweeper({ ...options, leases: this.#leases, isInFlight: holder => this.#inFlight.has(holder) })
  }

  /** Reads the leases there are, and from now on renews and removes them. */
  start(): void {
    this.#leases.start()
    void this.#leases.synced.then(
      () => this.#sweeper.start(),
      () => {},
    )
  }

  /** Ends it. Leases stay. */
  async stop(): Promise<void> {
    this.#sweeper.stop()
    this.#taken.stop()
    await this.#leases.stop()
  }

  /**
   * Holds an address for the VM of that name: the one that it holds already, or the first that is free. Rejects with NoAddressFree,
   * or InventoryNotLive: without a whole picture no address is known to be free.
   */
  async hold(holder: string, signal: AbortSignal): Promise<HeldAddress> {
    const { networks } = this.#options
    if (networks.length === 0) return dhcp
    await this.#leases.synced
    this.#inFlight.set(holder, (this.#inFlight.get(holder) ?? 0) + 1)
    try {
      const part = await this.#options.part?.()
      const { spec } = (await this.#keep(this.#usableBy(holder, part), holder, part)) ?? (await this.#take(holder, part, signal))
      const network = networks.find(each => each.name === spec.network)!
      return {
        address: spec.address,
        network: network.name,
        guest: network.settings(spec.address),
        confirm: async () => void (await this.#mustHold(spec, holder)),
        giveUp: () => this.#giveUp(spec, holder),
        [Symbol.dispose]: once(() => this.#release(holder)),
      }
    } catch (error) {
      this.#release(holder)
      throw error
    }
  }

  /**
   * Whether at least so many addresses are free, as far as leases and the inventory show: for deciding, before anything is begun,
   * whether it is worth it. With DHCP there always are. Throws InventoryNotLive, or NotSynced while leases have not been read.
   */
  hasFree(count = 1): boolean {
    return this.#options.networks.length === 0 || this.#taken.hasFree(count)
  }

  /** Whether a lease is held for the VM of that name, as far as is known here. */
  isHeldFor(holder: string): boolean {
    return this.#heldBy(holder).length > 0
  }

  /**
   * Whom a VM that was just made, and is not on yet, must leave its address to; undefined if it has it for itself. To be asked before
   * it is switched on, and if there is somebody, it must go. The VM shows its address to everybody, and then looks for others that
   * do: of two that do so at the same time at least one sees the other. Who runs or was there first keeps the address; who was there
   * first waits a while for the others to go, and goes itself if they do not, because they may have looked before it was there.
   */
  async rivalOf({ id, address }: VmAddress, signal: AbortSignal): Promise<Vm | undefined> {
    const { platform, clock } = this.#options
    const { inventory } = platform
    // What was made before this VM must be in the picture: that is so when the watch, not only our own knowledge, has brought this VM.
    await inventory.confirmed(id, signal)
    for (const until = clock.monotonic() + patience; ;) {
      await inventory.whenLive(signal)
      const rivals = addressRivals(inventory, { id, address })
      const [last] = rivals
      if (last === undefined) return undefined
      this.#isShared = true
      const first = firstRival(id, rivals) ?? (clock.monotonic() >= until ? last : undefined)
      if (first !== undefined) return first
      await clock.sleep(1_000, signal)
    }
  }

  /** The VM goes on under another name. Rejects with AddressLeaseLost if the lease is not the old holder's. */
  async rename(at: NetworkAddress, from: string, to: string): Promise<void> {
    const there = await this.#read(at)
    if (there?.spec.holder === to) return
    const lease = await this.#mustHold(at, from)
    await this.#options.store.update(AddressLease, { ...lease, spec: { ...lease.spec, holder: to } })
  }

  /** Nobody is given the address for a day, whoever has it now. */
  quarantine(at: NetworkAddress, reason: 'Answers' | 'Conflict' | 'Operator', message: string): Promise<void> {
    return this.#sweeper.quarantine(at, reason, message)
  }

  /** How many addresses there are, and what became of them, by network. Throws InventoryNotLive. */
  counts(): readonly AddressCounts[] {
    const { networks, platform } = this.#options
    return countAddresses(networks, this.#leases.list(), platform.inventory)
  }

  /** Looks once at all leases; `start` does so every half minute. */
  sweep(): Promise<void> {
    return this.#sweeper.sweep()
  }

  /** The leases of a holder. A VM of the same name in another part of the platform is another one. */
  #heldBy(holder: string, part?: string): readonly AddressLease[] {
    const { networks } = this.#options
    const known = (lease: AddressLease) =>
      networks.some(({ name, contains }) => name === lease.spec.network && contains(lease.spec.address))
    return this.#leases
      .byIndex('holder', holder)
      .filter(lease => lease.spec.quarantine === undefined && known(lease) && !isElsewhere(lease, part))
  }

  /** The lease that a new VM of the holder can use: a VM that was renamed has its address still, though its lease may name the holder. */
  #usableBy(holder: string, part: string | undefined): AddressLease | undefined {
    return this.#heldBy(holder, part).find(({ spec }) => !this.#isShown(spec.address, holder))
  }

  /** Makes a lease of the first address that is free; where others give out the same ones, of one that they hardly look at now. */
  async #take(holder: string, part: string | undefined, signal: AbortSignal): Promise<AddressLease> {
    const from = this.#isShared ? numberOf(holder) : 0
    for (const network of this.#options.networks) {
      for (const address of network.usable(from)) {
        signal.throwIfAborted()
        if (this.#isTaken(network, address, holder) || (await this.#answers({ network: network.name, address }, signal))) continue
        const lease = await this.#tryToTake(network, address, holder, part, signal)
        if (lease !== undefined) return lease
      }
    }
    throw NoAddressFree({ networks: this.#options.networks.map(each => each.name), taken: this.#whatIsTaken() })
  }

  async #tryToTake(
    network: AddressNetwork,
    address: string,
    holder: string,
    part: string | undefined,
    signal: AbortSignal,
  ): Promise<AddressLease | undefined> {
    const { store, clock, platform } = this.#options
    const spec = { platform: platform.name, network: network.name, address, holder, renewed: isoTime(clock.now()) }
    const name = leaseName(spec)
    try {
      const draft = { apiVersion: AddressLease.apiVersion, kind: AddressLease.name, metadata: ofPart({ name }, part), spec }
      const lease = await store.create(AddressLease, draft, { signal })
      await this.#leases.waitFor(lease.metadata.resourceVersion ?? '', signal)
      // Somebody may have shown up with the address while the lease was being made. It was never used, so it may go at once.
      if (!this.#isShown(address, holder)) return lease
      await store.delete(AddressLease, { name }, { uid: lease.metadata.uid ?? '' }).catch(ignoreGone)
      return undefined
    } catch (error) {
      if (!StoreError.is(error, 'AlreadyExists')) throw error
      // Another program was quicker, or this is our own from before a crash or a lost reply.
      return await this.#keep(await this.#read(spec), holder, part)
    }
  }

  /** The lease, renewed, if it is there and the holder's: so that nobody who took it for forgotten removes it now. */
  async #keep(lease: AddressLease | undefined, holder: string, part: string | undefined): Promise<AddressLease | undefined> {
    const { store, clock } = this.#options
    for (let known = lease; known !== undefined && known.spec.holder === holder;) {
      if (known.spec.quarantine !== undefined || isElsewhere(known, part)) return undefined
      try {
        return await store.update(AddressLease, { ...known, spec: { ...known.spec, renewed: isoTime(clock.now()) } })
      } catch (error) {
        if (!StoreError.is(error, 'Conflict', 'NotFound')) throw error
        known = await this.#read(known.spec)
      }
    }
    return undefined
  }

  async #giveUp(at: NetworkAddress, holder: string): Promise<void> {
    const lease = await this.#read(at)
    if (lease?.spec.holder !== holder || lease.spec.quarantine !== undefined) return
    const { name, uid = '', resourceVersion = '' } = lease.metadata
    await this.#options.store.delete(AddressLease, { name }, { uid, resourceVersion }).catch(ignoreGone)
  }

  async #answers(at: NetworkAddress, signal: AbortSignal): Promise<boolean> {
    const { probe } = this.#options
    if (probe === undefined || !(await probe(at.address, signal))) return false
    await this.quarantine(at, 'Answers', 'somebody answers at the address although no VM and no lease has it')
    return true
  }

  /** Whether a lease or a VM other than the holder's has the address. */
  #isTaken(network: AddressNetwork, address: string, holder: string): boolean {
    const lease = this.#leases.get(leaseName({ platform: this.#options.platform.name, network: network.name, address }))
    return lease !== undefined || this.#isShown(address, holder)
  }

  #isShown(address: string, holder: string): boolean {
    return vmsWithAddress(this.#options.platform.inventory, address).some(vm => vm.name !== holder)
  }

  #whatIsTaken(): string {
    return this.counts()
      .map(count => `${count.network}: ${count.used} in use, ${count.reserved} reserved, ${count.quarantined} in quarantine`)
      .join('; ')
  }

  #read({ network, address }: NetworkAddress): Promise<AddressLease | undefined> {
    const { platform, store } = this.#options
    return store.get(AddressLease, { name: leaseName({ platform: platform.name, network, address }) }).catch(ignoreGone)
  }

  async #mustHold(at: NetworkAddress, holder: string): Promise<AddressLease> {
    const lease = await this.#read(at)
    if (lease?.spec.holder === holder) return lease
    const why = lease === undefined ? 'there is none any more' : `it belongs to ${lease.spec.holder ?? 'nobody'}`
    throw AddressLeaseLost({ address: at.address, why })
  }

  #release(holder: string): void {
    const times = this.#inFlight.get(holder) ?? 0
    if (times > 1) this.#inFlight.set(holder, times - 1)
    else this.#inFlight.delete(holder)
  }
}

/** Somebody else changed it, or it is gone. */
const ignoreGone = undefinedIf('NotFound', 'Conflict')

const dhcp: HeldAddress = Object.freeze({
  address: undefined,
  network: undefined,
  guest: Object.freeze({ kind: 'dhcp' as const }),
  confirm: async () => {},
  giveUp: async () => {},
  [Symbol.dispose]: () => {},
})

/** A number that belongs to a text, the same every time. */
function numberOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE()
}

function once(act: () => void): () => void {
  let done = false
  return () => {
    if (!done) act()
    done = true
  }
}
