import { type AddressAuthority, AddressContested, type HeldAddress, type Platform, type Vm } from '../../platform/index.ts'
import type { Log } from '../../ports/index.ts'

/** With what VMs are made that have their addresses for themselves. */
export interface CloneAloneTools {
  readonly platform: Pick<Platform, 'destroy'>
  readonly addresses: Pick<AddressAuthority, 'hold' | 'rivalOf'>
  readonly log: Log
}

/** What is to be made. */
export interface CloneAlone {
  readonly name: string
  /** What holds the addresses while the VM is being made; whoever calls disposes of it. */
  readonly holding: DisposableStack
  /** Makes the VM with the address that is held for it. */
  make(held: HeldAddress): Promise<Vm>
  /** The VM that was made last is gone again, and another is about to be made in its place. */
  unmade(): void
}

/** So many addresses are tried. */
const mostTries = 5

/**
 * Makes a VM and sees to it that nobody else's has its address before it is switched on. Hatcheries with stores of their own know
 * nothing of each other's leases, but see each other's VMs: of two that were given one address at the same time one is removed and
 * made anew with another. If it rejects, the VM may still be there.
 */
export async function cloneAlone(tools: CloneAloneTools, { name, holding, make, unmade }: CloneAlone, signal: AbortSignal): Promise<Vm> {
  const { platform, addresses, log } = tools
  for (let tries = 1; ; tries++) {
    const held = holding.use(await addresses.hold(name, signal))
    const vm = await make(held)
    const { address } = held
    if (address === undefined) return vm
    const rival = await addresses.rivalOf({ id: vm.id, address }, signal)
    if (rival === undefined) return vm
    log.info('another VM came to have the address of one that was just made, which is made anew', { vm: name, address, rival: rival.name })
    await platform.destroy(vm.id, signal)
    await held.giveUp()
    unmade()
    if (tries >= mostTries) throw AddressContested({ address, rival: rival.name, tries })
  }
}
