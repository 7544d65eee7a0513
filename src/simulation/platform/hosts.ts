import type { Capacity, Vm } from '../../platform/index.ts'
import type { WorldHost, WorldPool } from './world-options.ts'

const megahertz = 2_400

/** How many virtual CPUs a real one carries. */
const overcommit = 4

type Size = Pick<Vm, 'cpus' | 'memoryMB'>

/** A host, what runs on it, and the memory that all its VMs have together, whether they run or not. */
interface Load {
  readonly host: WorldHost
  readonly running: { cpus: number; memoryMB: number }
  assigned: number
}

/** The hosts of a simulated world, and what VMs take of them. Every VM is on one, also while it is off. */
export class Hosts {
  readonly #loads: ReadonlyMap<string, Load>

  constructor(hosts: readonly WorldHost[]) {
    this.#loads = new Map(hosts.map(host => [host.name, { host, running: { cpus: 0, memoryMB: 0 }, assigned: 0 }]))
  }

  /** A VM has come, has become another, or is gone. */
  changed(old: Vm | undefined, now: Vm | undefined): void {
    this.#count(old, -1)
    this.#count(now, 1)
  }

  /** Where a new VM is put: where it could start, and of those where the least memory is spoken for. A VM that is off fits anywhere. */
  homeFor(size: Size): string | undefined {
    const all = [...this.#loads.values()]
    const withRoom = all.filter(load => hasRoom(load, size))
    return least(withRoom.length > 0 ? withRoom : all, ({ assigned }) => assigned)
  }

  /** Where a VM starts: on its own host if that has room, else where the most memory is free; undefined if no host has room. */
  startFor(vm: Size & Pick<Vm, 'host'>): string | undefined {
    const own = this.#loads.get(vm.host ?? '')
    if (own !== undefined && hasRoom(own, vm)) return vm.host
    const withRoom = [...this.#loads.values()].filter(load => hasRoom(load, vm))
    return least(withRoom, ({ host, running }) => running.memoryMB - host.memoryMB)
  }

  /** What a pool has, and has left, of what all hosts have together. */
  capacity(pool: WorldPool): Capacity {
    const loads = [...this.#loads.values()]
    const whole = { cpuMHz: sum(loads, ({ host }) => host.cpus) * megahertz, memoryMB: sum(loads, ({ host }) => host.memoryMB) }
    const cpus = sum(loads, ({ running }) => running.cpus)
    const used = { cpuMHz: (cpus * megahertz) / overcommit, memoryMB: sum(loads, ({ running }) => running.memoryMB) }
    const resource = (part: 'cpuMHz' | 'memoryMB') => ({
      limit: pool[part],
      unreserved: Math.max(0, (pool[part] ?? whole[part]) - used[part]),
      used: used[part],
    })
    return { cpuMHz: resource('cpuMHz'), memoryMB: resource('memoryMB') }
  }

  #count(vm: Vm | undefined, sign: 1 | -1): void {
    const load = this.#loads.get(vm?.host ?? '')
    if (vm === undefined || load === undefined) return
    load.assigned += sign * vm.memoryMB
    if (vm.power !== 'on') return
    load.running.cpus += sign * vm.cpus
    load.running.memoryMB += sign * vm.memoryMB
  }
}

function hasRoom({ host, running }: Load, { cpus, memoryMB }: Size): boolean {
  return host.cpus * overcommit - running.cpus >= cpus && host.memoryMB - running.memoryMB >= memoryMB
}

/** The name of the host for which it is the least; of several the first. */
function least(loads: readonly Load[], value: (load: Load) => number): string | undefined {
  return loads.toSorted((one, other) => value(one) - value(other))[0]?.host.name
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0)
}
