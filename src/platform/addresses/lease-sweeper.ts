import { isoTime, parseTime } from '../../ports/index.ts'
import type { Reader } from '../../control/index.ts'
import { AddressLease } from '../../kinds/index.ts'
import { StoreError } from '../../store/index.ts'
import type { PlatformTask, Vm } from '../platform.ts'
import type { AddressAuthorityOptions, NetworkAddress } from './address-authority.ts'
import { addressEvidence } from './address-evidence.ts'
import { vmsWithAddress } from './address-rivals.ts'
import { leaseName } from './lease-name.ts'
import { isElsewhere, ofPart, partOf } from './lease-part.ts'

/** For how long nothing may show an address before its lease is removed. */
const unseenFor = 5 * 60_000

/** For how long an address that was in doubt is kept from everybody. */
const quarantineFor = 24 * 60 * 60_000

/** How often leases are looked at, and those in flight renewed. */
const sweepEvery = 30_000

type Phase = NonNullable<NonNullable<AddressLease['status']>['phase']>
type Quarantine = NonNullable<AddressLease['spec']['quarantine']>

/** What all leases are looked at with. */
interface Look {
  /** The part of the platform that is seen; undefined: all of it. */
  readonly part: string | undefined
  /** What tasks that are not over are about. */
  readonly busy: () => ReadonlySet<string>
  /** Addresses that several VMs showed at the last look. */
  readonly contested: ReadonlySet<string>
}

/** What the sweeper looks at. */
export interface LeaseSweeperOptions extends AddressAuthorityOptions {
  readonly leases: Reader<AddressLease>
  /** Whether this program is making the holder's VM. */
  readonly isInFlight: (holder: string) => boolean
}

/**
 * Renews the leases of VMs that this program is making, and removes those that nothing shows any more: a live inventory has
 * neither VM nor task for it, and the lease was not touched, for five minutes by this program's own clock. After a restart, or
 * when the inventory was not live, the five minutes begin anew: a lease too long costs an address, one too short a collision.
 * An address whose VM was seen to go needs no such patience: two looks that find nothing are enough.
 */
export class LeaseSweeper {
  readonly #options: LeaseSweeperOptions
  readonly #stopped = new AbortController()
  /** Since when a lease is unseen, and in which version. */
  readonly #unseen = new Map<string, { readonly since: number; readonly version: string }>()
  /** Leases of addresses that a VM showed which is gone, in the version of that moment: a newer one is meant for another VM. */
  readonly #left = new Map<string, string>()
  /** Addresses that several VMs showed at the last look. Whoever is not alone with a new VM's address removes it within seconds. */
  #contested: ReadonlySet<string> = new Set()
  #forget = () => {}

  constructor(options: LeaseSweeperOptions) {
    this.#options = options
  }

  /** Begins, unless it was ended before; leases must have been read. */
  start(): void {
    if (this.#stopped.signal.aborted) return
    this.#forget = this.#options.platform.inventory.onChange(({ old, now }) => {
      if (old !== undefined && now === undefined) this.#isGone(old)
    })
    void this.#run()
  }

  stop(): void {
    this.#forget()
    this.#stopped.abort()
  }

  /** Looks once at all leases. */
  async sweep(): Promise<void> {
    const { platform, leases, log } = this.#options
    if (platform.inventory.state.kind !== 'live') {
      this.#unseen.clear()
      this.#left.clear()
      this.#contested = new Set()
      return
    }
    const part = await this.#options.part?.()
    const all = leases.list().filter(lease => !isElsewhere(lease, part))
    // Only if a lease makes it necessary: it may cost a question to the platform, and mostly nothing happens.
    let targets: ReadonlySet<string> | undefined
    const busy = () => (targets ??= targetsOf(platform.tasks()))
    const contested = this.#contested
    this.#contested = new Set(all.flatMap(({ spec }) => (this.#showing(spec.address).length > 1 ? [spec.address] : [])))
    const names = new Set(all.map(({ metadata }) => metadata.name))
    for (const remembered of [this.#unseen, this.#left]) {
      for (const name of remembered.keys()) if (!names.has(name)) remembered.delete(name)
    }
    const outcomes = await Promise.allSettled(all.map(lease => this.#look(lease, { part, busy, contested })))
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected' && !StoreError.is(outcome.reason, 'Conflict', 'NotFound')) {
        log.warn('an address lease could not be brought up to date', { error: outcome.reason })
      }
    }
  }

  /** Keeps an address from everybody. */
  async quarantine({ network, address }: NetworkAddress, reason: Quarantine['reason'], message: string): Promise<void> {
    const { platform, store, clock, log } = this.#options
    const spec = { platform: platform.name, network, address }
    const name = leaseName(spec)
    const full: Quarantine = { reason, message, since: isoTime(clock.now()), until: isoTime(clock.now() + quarantineFor) }
    log.warn('an address goes into quarantine', { address, network, reason, why: message })
    for (;;) {
      try {
        const draft = {
          apiVersion: AddressLease.apiVersion,
          kind: AddressLease.name,
          metadata: { name },
          spec: { ...spec, quarantine: full },
        }
        await store.create(AddressLease, draft)
        return
      } catch (error) {
        if (!StoreError.is(error, 'AlreadyExists')) throw error
      }
      try {
        const there = await store.get(AddressLease, { name })
        if (there.spec.quarantine === undefined) await store.update(AddressLease, { ...there, spec: { ...there.spec, quarantine: full } })
        return
      } catch (error) {
        // It changed or went away in between: once more from the start.
        if (!StoreError.is(error, 'Conflict', 'NotFound')) throw error
      }
    }
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options
    const { signal } = this.#stopped
    while (!signal.aborted) {
      await clock.sleep(sweepEvery, signal).catch(() => {})
      if (signal.aborted) return
      await this.sweep().catch((error: unknown) => log.warn('address leases were not looked at', { error }))
    }
  }

  async #look(lease: AddressLease, { part, busy, contested }: Look): Promise<void> {
    const { isInFlight, clock } = this.#options
    const { holder, address, quarantine } = lease.spec
    const showing = this.#showing(address)
    if (showing.length > 1 && contested.has(address) && quarantine === undefined) {
      const names = showing.map(vm => vm.name).toSorted()
      return this.quarantine(lease.spec, 'Conflict', `${names.length} VMs show the address: ${names.join(', ')}`)
    }
    if (holder !== undefined && isInFlight(holder)) {
      this.#unseen.delete(lease.metadata.name ?? '')
      this.#left.delete(lease.metadata.name ?? '')
      return this.#renew(lease, part)
    }
    const seen = showing.length > 0 || (holder !== undefined && this.#isOnItsWay(holder, lease, busy))
    if (seen) {
      this.#unseen.delete(lease.metadata.name ?? '')
      this.#left.delete(lease.metadata.name ?? '')
      return this.#note(await this.#adopted(lease, part), quarantine === undefined ? 'InUse' : 'Quarantined')
    }
    if (quarantine !== undefined && (quarantine.until === undefined || parseTime(quarantine.until) > clock.now())) {
      return this.#note(lease, 'Quarantined')
    }
    return this.#notSeen(lease)
  }

  /** Nothing shows the address: now begins, goes on or ends the time after which it is free. */
  async #notSeen(lease: AddressLease): Promise<void> {
    const { clock, store } = this.#options
    const name = lease.metadata.name ?? ''
    const version = versionOf(lease)
    const known = this.#unseen.get(name)
    if (known?.version !== version) {
      this.#unseen.set(name, { since: clock.monotonic(), version })
      return this.#note(lease, lease.status?.phase === undefined || lease.status.phase === 'Reserved' ? 'Reserved' : 'Unseen')
    }
    if (clock.monotonic() - known.since < unseenFor && !this.#wasLeft(lease)) return
    await store.delete(AddressLease, { name }, { uid: lease.metadata.uid ?? '', resourceVersion: lease.metadata.resourceVersion ?? '' })
    this.#unseen.delete(name)
    this.#left.delete(name)
  }

  #isGone(vm: Vm): void {
    const { platform, networks, leases } = this.#options
    for (const address of addressEvidence(vm)) {
      for (const { name: network } of networks) {
        const name = leaseName({ platform: platform.name, network, address })
        const lease = leases.get(name)
        if (lease !== undefined) this.#left.set(name, versionOf(lease))
      }
    }
  }

  #wasLeft(lease: AddressLease): boolean {
    return this.#left.get(lease.metadata.name ?? '') === versionOf(lease)
  }

  /** VMs that show the address. */
  #showing(address: string): readonly Vm[] {
    return vmsWithAddress(this.#options.platform.inventory, address)
  }

  /** Whether the holder's VM is there without showing any address of the network yet, or a task works on it. */
  #isOnItsWay(holder: string, lease: AddressLease, busy: () => ReadonlySet<string>): boolean {
    const { platform, networks } = this.#options
    const { spec } = lease
    const vms = platform.inventory.byName(holder)
    const network = networks.find(each => each.name === spec.network)
    const another = vms.some(vm => addressEvidence(vm).some(address => address !== spec.address && network?.contains(address)))
    if (vms.length > 0 && !another) return true
    // Who was seen to go is not coming.
    if (vms.length === 0 && this.#wasLeft(lease)) return false
    return busy().has(holder) || vms.some(vm => busy().has(vm.id))
  }

  async #renew(lease: AddressLease, part: string | undefined): Promise<void> {
    const { store, clock } = this.#options
    const { renewed } = lease.spec
    if (renewed !== undefined && clock.now() - parseTime(renewed) < 2 * sweepEvery) return
    await store.update(AddressLease, {
      ...lease,
      metadata: ofPart(lease.metadata, part),
      spec: { ...lease.spec, renewed: isoTime(clock.now()) },
    })
  }

  /** The lease of a VM that is seen here belongs to this part, also if it is from a time when leases did not say so. */
  async #adopted(lease: AddressLease, part: string | undefined): Promise<AddressLease> {
    if (part === undefined || partOf(lease) !== undefined) return lease
    return await this.#options.store.update(AddressLease, { ...lease, metadata: ofPart(lease.metadata, part) })
  }

  /** Writes down what is seen, if it is news. */
  async #note(lease: AddressLease, phase: Phase): Promise<void> {
    const { store, clock } = this.#options
    if (lease.status?.phase === phase) return
    await store.update(AddressLease, { ...lease, status: { phase, since: isoTime(clock.now()) } }, { subresource: 'status' })
  }
}

/** What others write about a lease is a sign of life; what is noted in its status is not. */
function versionOf({ metadata, spec }: AddressLease): string {
  return JSON.stringify([metadata.uid, spec])
}

/** What tasks that are not over are about. */
function targetsOf(tasks: readonly PlatformTask[]): ReadonlySet<string> {
  return new Set(tasks.flatMap(({ state, target }) => (state === 'running' || state === 'queued' ? [target] : [])))
}
