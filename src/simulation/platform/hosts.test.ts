import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NoCapacity, type Vm } from '../../platform/index.ts'
import { seededChance, VirtualClock } from '../../ports/index.ts'
import { SimulatedWorld } from './world.ts'

const hosts = ['a', 'b', 'c'].map(name => ({ name, cpus: 4, memoryMB: 16_384 }))
const sizes = { cpus: fc.integer({ min: 1, max: 12 }), memoryMB: fc.integer({ min: 512, max: 12_000 }) }
const deeds = fc.oneof(
  fc.record({ deed: fc.constant('make' as const), ...sizes }),
  fc.record({ deed: fc.constant('resize' as const), vm: fc.nat(20), ...sizes }),
  fc.record({ deed: fc.constantFrom('on' as const, 'off' as const, 'remove' as const), vm: fc.nat(20) }),
)

test('whatever comes and goes, every VM is on a host, and none that was started there is one too many', () => {
  fc.assert(
    fc.property(fc.array(deeds, { maxLength: 60 }), all => {
      const world = new SimulatedWorld({ clock: new VirtualClock(), chance: seededChance(1), hosts })
      for (const [index, each] of all.entries()) {
        const vms = world.vms()
        const vm = 'vm' in each ? vms[each.vm % Math.max(1, vms.length)] : undefined
        if (each.deed === 'make') world.addVm({ name: `vm ${index}`, cpus: each.cpus, memoryMB: each.memoryMB })
        if (vm === undefined) continue
        if (each.deed === 'remove') world.removeVm(vm.id)
        // A VM that runs is not resized.
        if (each.deed === 'resize' && vm.power === 'off') world.changeVm(vm.id, { cpus: each.cpus, memoryMB: each.memoryMB })
        if (each.deed === 'on' || each.deed === 'off') switchIfThereIsRoom(world, vm, each.deed)
      }
      expect(world.vms().filter(vm => !hosts.some(({ name }) => name === vm.host))).toEqual([])
      for (const { name, cpus, memoryMB } of hosts) {
        const running = world.vms().filter(vm => vm.host === name && vm.power === 'on')
        expect(total(running, 'cpus')).toBeLessThanOrEqual(4 * cpus)
        expect(total(running, 'memoryMB')).toBeLessThanOrEqual(memoryMB)
      }
      const running = world.vms().filter(vm => vm.power === 'on')
      expect(world.capacity(undefined).memoryMB.used).toBe(total(running, 'memoryMB'))
      expect(world.capacity(undefined).cpuMHz.used).toBe((total(running, 'cpus') * 2_400) / 4)
    }),
  )
})

/** Nobody is turned away while a host has room. */
function switchIfThereIsRoom(world: SimulatedWorld, vm: Vm, power: 'on' | 'off'): void {
  try {
    world.switchPower(vm.id, power)
  } catch (error) {
    if (!NoCapacity.is(error)) throw error
    const others = world.vms().filter(other => other.power === 'on')
    const fits = hosts.filter(({ name, cpus, memoryMB }) => {
      const here = others.filter(other => other.host === name)
      return total(here, 'cpus') + vm.cpus <= 4 * cpus && total(here, 'memoryMB') + vm.memoryMB <= memoryMB
    })
    expect(fits).toEqual([])
  }
}

function total(vms: readonly Vm[], part: 'cpus' | 'memoryMB'): number {
  return vms.reduce((sum, vm) => sum + vm[part], 0)
}
