import { type Clock, prometheusMetrics, Secret, seededChance, VirtualClock } from '../../ports/index.ts'
import { platformContract } from '../../platform/contract.ts'
import type { Subject } from '../../platform/contract/subject.ts'
import { governed, Governor, measured, type Platform } from '../../platform/index.ts'
import { simulatedPlatform } from './simulated-platform.ts'
import { settle } from './testing/settle.ts'
import { SimulatedWorld } from './world.ts'

async function subject(around: (platform: Platform, clock: Clock) => Platform): Promise<Subject> {
  const clock = new VirtualClock()
  const chance = seededChance('contract')
  const login = { user: 'root', password: 'let me in' }
  const world = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian', login }] })
  const connect = async () => around(simulatedPlatform({ world, chance }), clock)
  const platform = await connect()
  return {
    platform,
    world: {
      template: 'debian',
      login: { user: login.user, password: new Secret(login.password) },
      program: { program: '/bin/true', args: '' },
      settle: promise => settle(clock, promise),
      pass: milliseconds => clock.advance(milliseconds),
      connect,
      foreignVm: async settings => world.addVm(settings).id,
      rename: async (id, name) => void world.changeVm(id, { name }),
      remove: async id => world.removeVm(id),
      named: async name => world.vms().flatMap(vm => (vm.name === name ? [vm.id] : [])),
      programsStarted: async id => world.mustFind(id).processes.size,
      runningTasks: async () => world.tasks().filter(task => task.state === 'running').length,
      cutNext: (call, when) => world.faults.cutNext(call, when),
      expireSessions: async () => world.expireSessions(),
      holdNext: call => world.slowNext(call, Infinity),
      silence: async silent => world.setReachable(!silent),
    },
    cleanup: () => platform.close(),
  }
}

platformContract('simulated', () => subject(platform => platform))

platformContract('simulated, held back and measured', () =>
  subject((platform, clock) => {
    const metrics = prometheusMetrics()
    return measured(governed(platform, new Governor({ platform: platform.name, clock, metrics }), 'contract'), { metrics, clock })
  }),
)
