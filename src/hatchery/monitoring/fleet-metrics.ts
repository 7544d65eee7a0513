import type { Clock, Log, Metrics } from '../../ports/index.ts'
import { type AddressAuthority, type Capacity, InventoryNotLive, type Platform } from '../../platform/index.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { readWorkerNote } from '../fleet/worker-note.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { WorkerPool } from '../gates/worker-pool.ts'
import type { HatcherySettings } from '../settings.ts'
import { DiskSizes } from './disk-sizes.ts'
import { DyingVms } from './dying-vms.ts'
import { GaugeSet } from './gauge-set.ts'
import {
  addressGauges,
  fleetGauges,
  hatcheryMetric,
  poolGauges,
  resourcePoolGauges,
  serviceLabels,
  vsphereMetric,
  workerGauges,
  workerLabels,
} from './metric-catalogue.ts'

/** What the metrics are told from. */
export interface FleetMetricsOptions {
  readonly settings: Pick<HatcherySettings, 'name' | 'networks' | 'flavors' | 'vsphere' | 'provisioning'>
  readonly platform: Pick<Platform, 'inventory' | 'capacity' | 'diskGB'>
  readonly fleet: Fleet
  readonly pool: Pick<WorkerPool, 'counts'>
  readonly underWay: UnderWay
  readonly addresses: Pick<AddressAuthority, 'counts'>
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
}

const megabyte = 1024 * 1024

/** How long sizes of disks may be asked for at a time. */
const longestAsking = 10_000

/**
 * The gauges of hatchery §13, all from what is in memory. What cannot be told at a time is not shown then: neither as 0 nor as it
 * last was. Each part stands alone: a resource pool that cannot be read takes away its own six and no other.
 */
export class FleetMetrics {
  readonly #options: FleetMetricsOptions
  readonly #labels: { readonly service_name: string; readonly service_type: string }
  readonly #disks: DiskSizes
  readonly #dying: DyingVms
  readonly #workers
  readonly #fleet
  readonly #resourcePool
  readonly #addresses
  readonly #pool
  /** Whether it was said already that the resource pool cannot be read. */
  #poolIsAway = false

  constructor(options: FleetMetricsOptions) {
    const { metrics, settings } = options
    this.#options = options
    this.#labels = { service_name: settings.name, service_type: 'hatchery' }
    this.#disks = new DiskSizes(options)
    this.#dying = new DyingVms(options)
    this.#workers = new GaugeSet(metrics, workerGauges, vsphereMetric, workerLabels)
    this.#fleet = new GaugeSet(metrics, fleetGauges, vsphereMetric, serviceLabels)
    this.#resourcePool = new GaugeSet(metrics, resourcePoolGauges, vsphereMetric, serviceLabels)
    this.#addresses = new GaugeSet(metrics, addressGauges, vsphereMetric, serviceLabels)
    this.#pool = new GaugeSet(metrics, poolGauges, hatcheryMetric, serviceLabels)
  }

  /** Tells all of it anew. */
  async update(signal: AbortSignal): Promise<void> {
    const capacity = await this.#capacity()
    // From here on without a pause, so that what a scrape finds belongs together.
    this.#part(this.#resourcePool, () => (capacity === undefined ? [] : [[this.#labels, capacityValues(capacity)]]))
    this.#part(this.#workers, () => this.#workerSeries())
    this.#part(this.#fleet, () => [[this.#labels, this.#fleetValues()]])
    this.#part(this.#addresses, () => (this.#options.settings.networks.length === 0 ? [] : [[this.#labels, this.#addressValues()]]))
    this.#part(this.#pool, () => [[this.#labels, this.#poolValues()]])
    await this.#learnDisks(signal)
  }

  /** What has to be asked of the platform comes last, for the next time: nothing else waits for it. */
  async #learnDisks(signal: AbortSignal): Promise<void> {
    const { platform, fleet, clock } = this.#options
    if (platform.inventory.state.kind !== 'live') return
    using limit = clock.deadline(longestAsking, signal)
    await this.#disks.learn(fleet.own(), limit.signal)
  }

  /** Shows a part, or nothing of it. */
  #part<N extends string>(gauges: GaugeSet<N>, series: () => Parameters<GaugeSet<N>['show']>[0]): void {
    try {
      gauges.show(series())
    } catch (error) {
      gauges.clear()
      if (!InventoryNotLive.is(error)) this.#options.log.debug('some metrics cannot be told', { error })
    }
  }

  #workerSeries() {
    return this.#options.fleet.own().map(each => {
      const { vm, note } = each
      const model = note.workerModelPath === '' ? note.vmwareModelPath : note.workerModelPath
      const values = { worker_vcpus: vm.cpus, worker_memory_mb: vm.memoryMB, worker_disk_gb: this.#disks.of(each) }
      return [{ ...this.#labels, worker_name: vm.name, worker_model: model }, values] as const
    })
  }

  #fleetValues() {
    const { fleet, settings } = this.#options
    const { own, provisions, templates, pool } = fleet.totals()
    const dying = this.#dying.look()
    const disks = fleet.own().map(each => this.#disks.of(each) ?? Number.NaN)
    const disk = disks.reduce((sum, size) => sum + size, 0)
    return {
      allocated_vcpus: own.cpus,
      allocated_memory_mb: own.memoryMB,
      // A sum in which some are missing would be wrong.
      allocated_disk_gb: Number.isNaN(disk) ? undefined : disk,
      vm_count: own.count,
      worker_vm_count: own.count - provisions.count,
      provisioned_vm_count: provisions.count,
      provision_wanted_count: settings.provisioning.reduce((sum, { number }) => sum + number, 0),
      ...this.#provisionStates(),
      dying_vm_count: dying.count,
      dying_oldest_seconds: dying.oldestSeconds,
      template_vcpus: templates.cpus,
      template_memory_mb: templates.memoryMB,
      template_count: templates.count,
      pool_total_vcpus: pool.cpus,
      pool_total_memory_mb: pool.memoryMB,
      pool_total_vm_count: pool.count,
    }
  }

  #provisionStates() {
    const { fleet, underWay } = this.#options
    const seen = [...fleet.provisions(1), ...fleet.provisions(2)]
    const dying = seen.filter(({ vm }) => underWay.doomed.has(vm.id)).length
    const ready = seen.filter(each => fleet.isReady(each)).length
    const names = new Set(seen.map(({ vm }) => vm.name))
    return {
      provision_ready_count: ready,
      provision_starting_count: seen.length - dying - ready,
      provision_dying_count: dying,
      provision_inflight_count: underWay.of('Provision').filter(({ vmName }) => !names.has(vmName)).length,
    }
  }

  #addressValues() {
    const { addresses, platform, settings } = this.#options
    const counts = addresses.counts()
    const sum = (name: 'total' | 'free' | 'active') => counts.reduce((all, count) => all + count[name], 0)
    const written = new Set<string>()
    for (const vm of platform.inventory.all()) {
      const address = readWorkerNote(vm)?.ipAddress ?? ''
      if (address !== '' && settings.networks.some(({ isUsable }) => isUsable(address))) written.add(address)
    }
    const total = sum('total')
    return {
      ip_total_count: total,
      // Not only what VMs show: total minus used is what the specification's alerts take for the addresses that are left.
      ip_used_count: total - sum('free'),
      ip_active_count: sum('active'),
      ip_reserved_count: written.size,
    }
  }

  #poolValues() {
    const { pending, registering, waiting, checking, building, disabled } = this.#options.pool.counts()
    return {
      pending_workers: pending,
      registering_workers: registering,
      waiting_workers: waiting,
      checking_workers: checking,
      building_workers: building,
      disabled_workers: disabled,
    }
  }

  async #capacity(): Promise<Capacity | undefined> {
    const { platform, settings, log } = this.#options
    // While nothing is known that is no news.
    if (platform.inventory.state.kind !== 'live') return undefined
    try {
      const capacity = await platform.capacity(settings.vsphere.resourcePool)
      this.#poolIsAway = false
      return capacity
    } catch (error) {
      if (!this.#poolIsAway) log.warn('the resource pool cannot be read; its metrics are left out', { error })
      this.#poolIsAway = true
      return undefined
    }
  }
}

function capacityValues({ cpuMHz, memoryMB }: Capacity) {
  return {
    resource_pool_cpu_max_mhz: cpuMHz.limit,
    resource_pool_cpu_usage_mhz: cpuMHz.used,
    resource_pool_cpu_unreserved_mhz: cpuMHz.unreserved,
    resource_pool_memory_max_bytes: memoryMB.limit === undefined ? undefined : memoryMB.limit * megabyte,
    resource_pool_memory_usage_bytes: memoryMB.used * megabyte,
    resource_pool_memory_unreserved_bytes: memoryMB.unreserved * megabyte,
  }
}
