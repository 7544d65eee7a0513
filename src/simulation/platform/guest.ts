import { type GuestCommand, GuestLoginRefused, GuestNotReady, type GuestProgram as StartedProgram, NotThere } from '../../platform/index.ts'
import { Secret } from '../../ports/index.ts'
import type { GuestProcess, GuestProgram } from './guest-process.ts'
import type { SimulatedWorld } from './world.ts'
import type { WorldVm } from './world-vm.ts'

/** Where guests without an address of their own get one. */
const dhcpNetwork = '10.199'

/** The VM was switched on: after a while its guest takes commands and has an address, unless it is off again by then. */
export function boot(world: SimulatedWorld, record: WorldVm): void {
  const { clock, timings } = world
  const thisBoot = record.boots
  const later = (milliseconds: number, act: () => void) =>
    clock.after(milliseconds, () => {
      if (record.boots === thisBoot && world.find(record.vm.id) === record) act()
    })
  const tools = world.draw(timings.boot)
  const network = world.draw(timings.address)
  if (record.template?.sick !== 'no tools') later(tools, () => world.changeVm(record.vm.id, { guestReady: true }))
  if (record.template?.sick === 'no customization') later(network, () => world.refuseCustomization(record.vm.id))
  else if (record.template?.sick !== 'no address')
    later(network, () => world.changeVm(record.vm.id, { addresses: [addressFor(world, record)] }))
}

/** Everything in the guest ends. */
export function stopGuest(record: WorldVm): void {
  record.boots++
  record.shuttingDown = false
  // What the processes would have said is lost with the guest; no exit code is ever known.
  record.processes.clear()
}

/** Asks the guest to shut down. */
export function shutDownGuest(world: SimulatedWorld, record: WorldVm): void {
  mustTakeCommands(record)
  if (record.shuttingDown) return
  record.shuttingDown = true
  const thisBoot = record.boots
  world.clock.after(world.draw(world.timings.shutDown), () => {
    if (record.boots === thisBoot && world.find(record.vm.id) === record) world.switchPower(record.vm.id, 'off')
  })
}

/** Starts a program. The same key starts it only once. */
export function startProgram(world: SimulatedWorld, record: WorldVm, command: GuestCommand, key: string): number {
  mustTakeCommands(record)
  mustLogIn(record, command)
  const known = Array.from(record.processes.values()).find(process => process.key === key)
  if (known !== undefined) return known.process
  const line = `${command.program} ${command.args}`.trim()
  const process: GuestProcess = { key, process: 1_000 + record.processes.size, command: line, exit: undefined }
  record.processes.set(process.process, process)
  const program = programOf(world, record, process, command)
  if (world.programHook === undefined) world.clock.after(world.draw(world.timings.program), () => program.exit(0))
  else world.clock.soon(() => world.programHook?.(program))
  return process.process
}

/** The exit code of a program, or undefined while it runs. */
export function exitOf(record: WorldVm, process: number, credentials: Pick<GuestCommand, 'user' | 'password'>): number | undefined {
  mustTakeCommands(record)
  mustLogIn(record, credentials)
  const found = record.processes.get(process)
  if (found === undefined) throw NotThere({ what: 'process', name: String(process) })
  return found.exit
}

/** Everything that was started since the guest came up. */
export function programsOf(record: WorldVm, credentials: Pick<GuestCommand, 'user' | 'password'>): readonly StartedProgram[] {
  mustTakeCommands(record)
  mustLogIn(record, credentials)
  return Array.from(record.processes.values(), ({ process, command, exit }) => ({ process, command, isOver: exit !== undefined }))
}

function mustTakeCommands({ vm }: WorldVm): void {
  if (vm.power !== 'on') throw GuestNotReady({ name: vm.name, why: 'it is off' })
  if (!vm.guestReady) throw GuestNotReady({ name: vm.name, why: 'its tools are not running yet' })
}

function mustLogIn({ vm, template }: WorldVm, { user, password }: Pick<GuestCommand, 'user' | 'password'>): void {
  const login = template?.login
  if (login === undefined ? user !== 'root' : user !== login.user || !password.equals(login.password)) {
    throw GuestLoginRefused({ name: vm.name, user })
  }
}

function programOf(world: SimulatedWorld, record: WorldVm, process: GuestProcess, command: GuestCommand): GuestProgram {
  const { id } = record.vm
  const running = () => process.exit === undefined && world.find(id)?.processes.get(process.process) === process
  const exit = (code: number) => {
    if (running()) process.exit = code
  }
  return {
    process: process.process,
    program: command.program,
    args: command.args,
    environment: Object.fromEntries(
      Object.entries(command.environment ?? {}).map(([name, value]) => [name, value instanceof Secret ? value.reveal() : value]),
    ),
    vm: () => world.find(id)?.vm,
    running,
    exit,
    shutDown: () => {
      const alive = running()
      exit(0)
      if (alive && record.vm.guestReady) shutDownGuest(world, record)
    },
  }
}

function addressFor(world: SimulatedWorld, { guest }: WorldVm): string {
  if (guest?.address.kind === 'static') return guest.address.address
  const taken = new Set(world.vms().flatMap(vm => vm.addresses))
  for (let number = 1; ; number++) {
    const address = `${dhcpNetwork}.${Math.floor(number / 254)}.${(number % 254) + 1}`
    if (!taken.has(address)) return address
  }
}
