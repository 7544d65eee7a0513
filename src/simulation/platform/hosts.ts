import type { Capacity, Vm } from '../../platform/index.ts'
import type { WorldHost, WorldPool } from './world-options.ts'

const megahertz = 2_400

/** How many virtual CPUs a real one carries. */
const overcommit = 4

/** The host with the most free memory that has room for the VM; undefined if none has. */
export function place(hosts: readonly WorldHost[], running: readonly Vm[], vm: Vm): WorldHost | undefined {
  const rooms = hosts.map(host => ({ host, ...free(host, running) }))
  const fitting = rooms.filter(room => room.cpus >= vm.cpus && room.memoryMB >= vm.memoryMB)
  return fitting.toSorted((one, other) => other.memoryMB - one.memoryMB)[0]?.host
}

/** What a pool has, and has left, of what all hosts have together. */
export function capacityOf(hosts: readonly WorldHost[], running: readonly Vm[], pool: WorldPool): Capacity {
  const whole = { cpuMHz: sum(hosts, host => host.cpus) * megahertz, memoryMB: sum(hosts, host => host.memoryMB) }
  const used = { cpuMHz: (sum(running, vm => vm.cpus) * megahertz) / overcommit, memoryMB: sum(running, vm => vm.memoryMB) }
  const resource = (part: 'cpuMHz' | 'memoryMB') => ({
    limit: pool[part],
    unreserved: Math.max(0, (pool[part] ?? whole[part]) - used[part]),
    used: used[part],
  })
  return { cpuMHz: resource('cpuMHz'), memoryMB: resource('memoryMB') }
}

function free(host: WorldHost, running: readonly Vm[]): { cpus: number; memoryMB: number } {
  const here = running.filter(vm => vm.host === host.name)
  return { cpus: host.cpus * overcommit - sum(here, vm => vm.cpus), memoryMB: host.memoryMB - sum(here, vm => vm.memoryMB) }
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0)
}
