import type { Vm } from '../../platform/index.ts'
import type { CdsEvent } from '../../simulation/index.ts'
import type { HatcheryScene } from './hatchery-scene.ts'
import { markOf } from './mark.ts'
import { losesWorkers } from './scene.ts'
import type { Stage } from './stage.ts'

/** Operations that change a VM or what runs in it: only its own hatchery may call them. */
const changes = new Set(['claim', 'rename', 'annotate', 'powerOn', 'powerOff', 'shutDown', 'runInGuest', 'destroy', 'markAsTemplate'])

/** Looks on all along, and keeps a list of what must never be. */
export class Watch {
  readonly wrongs: string[] = []
  readonly #stage: Stage
  /** Names of workers that have signed in, and of those whose time is over. */
  readonly #signedIn = new Set<string>()
  readonly #finished = new Set<string>()
  /** Who began which job, in order. */
  readonly #began = new Map<string, string[]>()
  /**
   * The VMs that were being made for each hatchery when its store was lost. Nobody knows of them until they are there: by them limits
   * may be exceeded, and an address may be promised anew that one of them was to have. Even then no two guests may have it.
   */
  readonly #forgotten = new Map<string, Set<string>>()

  constructor(stage: Stage) {
    this.#stage = stage
    stage.vcenter.listen({ changed: (id, vm) => this.#changed(id, vm), disturbed: () => {} })
    stage.cds.listen(event => this.#heard(event))
  }

  /** Something is wrong. */
  wrong(what: string): void {
    if (this.wrongs.includes(what)) return
    this.wrongs.push(what)
    this.#stage.trace.tell('WRONG', what)
  }

  /** A hatchery is about to do something to a VM. */
  called({ hatchery, operation, target }: { readonly hatchery: string; readonly operation: string; readonly target: string }): void {
    const vm = this.#stage.vcenter.find(target)?.vm
    if (!changes.has(operation) || vm === undefined) return
    const owner = markOf(vm)?.hatchery
    if (owner !== hatchery) this.wrong(`${hatchery} calls ${operation} on "${vm.name}", which belongs to ${owner ?? 'nobody'}`)
  }

  /** The store of these hatcheries is gone. */
  storeLost(hatcheries: readonly string[]): void {
    const clones = this.#stage.vcenter.tasks().filter(({ operation, state }) => operation === 'clone' && state === 'running')
    for (const name of hatcheries) {
      this.#forgotten.set(name, new Set([...(this.#forgotten.get(name) ?? []), ...clones.map(({ target }) => target)]))
    }
  }

  #changed(id: string, vm: Vm | undefined): void {
    const { foreign, switchedOn } = this.#stage
    if (vm?.power !== 'on') switchedOn.delete(id)
    if (foreign.has(id) && JSON.stringify(vm) !== foreign.get(id)) this.wrong(`the foreign VM ${id} was changed`)
    if (vm === undefined) return this.#stage.trace.tell('vCenter', `${id} is gone`)
    this.#stage.trace.tell('vCenter', `${vm.name} is ${vm.power}`, { id, addresses: vm.addresses.join(' '), note: vm.annotation })
    this.#addresses(vm)
    const mark = markOf(vm)
    const hatchery = this.#stage.scene.hatcheries.find(({ name }) => name === mark?.hatchery)
    if (hatchery !== undefined) this.#limits(hatchery)
  }

  /** No two VMs have one address, nor are two to have it. */
  #addresses(vm: Vm): void {
    const address = markOf(vm)?.address ?? ''
    for (const other of this.#stage.vcenter.vms()) {
      if (other.id === vm.id || other.template) continue
      const both = vm.addresses.find(each => other.addresses.includes(each))
      if (both !== undefined) this.wrong(`"${vm.name}" and "${other.name}" both have the address ${both}`)
      const isMeant = markOf(other)?.address === address || other.addresses.includes(address)
      if (address !== '' && !vm.template && isMeant && !this.#mayBeMeantForBoth(vm, other))
        this.wrong(`"${vm.name}" and "${other.name}" are both to have the address ${address}`)
    }
  }

  /** Hatcheries that do not know of each other find out by looking at their new VMs, before they switch them on. */
  #mayBeMeantForBoth(one: Vm, other: Vm): boolean {
    const { sharedRange, hatcheries } = this.#stage.scene
    const owners = hatcheries.filter(({ name }) => name === markOf(one)?.hatchery || name === markOf(other)?.hatchery)
    const areStrangers = sharedRange && owners.length > 1
    return (areStrangers && (one.power === 'off' || other.power === 'off')) || this.#isForgotten(one) || this.#isForgotten(other)
  }

  #limits({ name, maxWorker, maxConcurrentProvisioning, maxCpus, maxMemoryMB }: HatcheryScene): void {
    let [workers, unknown, cpus, memoryMB] = [0, 0, 0, 0]
    for (const vm of this.#stage.vcenter.vms()) {
      const mark = markOf(vm)
      if (mark?.hatchery !== name || mark.isModel || this.#isForgotten(vm)) continue
      // One that is off takes no place: it may be what a clone left that was given up long ago and is removed as soon as it appears.
      // What a person switches on may exceed the limits: the hatchery can only start nothing more until it is off again.
      if (vm.power === 'off' || this.#stage.switchedOn.has(vm.id)) continue
      cpus += vm.cpus
      memoryMB += vm.memoryMB
      // One that is to stand ready runs once before, within these limits; but it is no worker.
      if (mark.isProvision || this.#finished.has(vm.name)) continue
      workers++
      if (!vm.name.startsWith('register-') && !this.#signedIn.has(vm.name)) unknown++
    }
    if (maxWorker > 0 && workers > maxWorker) this.wrong(`${name} has ${workers} workers, and maxWorker is ${maxWorker}`)
    if (maxCpus > 0 && cpus > maxCpus) this.wrong(`the VMs of ${name} have ${cpus} CPUs, and maxCpus is ${maxCpus}`)
    if (maxMemoryMB > 0 && memoryMB > maxMemoryMB) this.wrong(`the VMs of ${name} have ${memoryMB} MB, and maxMemoryMB is ${maxMemoryMB}`)
    if (unknown > maxConcurrentProvisioning)
      this.wrong(`${unknown} workers of ${name} are starting, and maxConcurrentProvisioning is ${maxConcurrentProvisioning}`)
  }

  #isForgotten(vm: Vm): boolean {
    return this.#forgotten.get(markOf(vm)?.hatchery ?? '')?.has(vm.name) ?? false
  }

  #heard({ what, worker = '', job = '' }: CdsEvent): void {
    if (what === 'worker signed in') this.#signedIn.add(worker)
    if (what === 'worker signed out' || what === 'worker disabled' || what === 'worker gone') this.#finished.add(worker)
    if (what === 'job started') this.#started(job, worker)
    if (what === 'job released' || what === 'job started') this.#witnessed()
  }

  /** A worker begins a job: nobody else may be at it. */
  #started(job: string, worker: string): void {
    const began = this.#began.get(job) ?? []
    this.#began.set(job, [...began, worker])
    for (const other of began) {
      if (this.#stage.vcenter.byName(other)?.power === 'on')
        this.wrong(`job ${job} is on "${worker}" while "${other}", which began it, runs`)
    }
    if (began.length > 0 && !losesWorkers(this.#stage.scene))
      this.wrong(`job ${job} is begun again by "${worker}", after "${began.join('", "')}"`)
  }

  #witnessed(): void {
    const { resurrected, takenFromWorker } = this.#stage.cds.wrongs()
    for (const job of resurrected) this.wrong(`job ${job} was over and is put back into the queue`)
    if (losesWorkers(this.#stage.scene)) return
    for (const job of takenFromWorker) this.wrong(`job ${job} is put back into the queue while its worker is at it`)
  }
}
