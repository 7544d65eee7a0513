import type { Vm, VmChange } from '../../platform/index.ts'
import { isProvisionName } from './fleet-index.ts'
import { readWorkerNote } from './worker-note.ts'

/** So many VMs with so much. */
export interface Sum {
  readonly count: number
  readonly cpus: number
  readonly memoryMB: number
}

/** What one VM adds to which sums and counts. */
interface Share {
  readonly vm: Vm
  readonly sums: readonly SumName[]
  /** Whose it is, if it is a worker's VM. */
  readonly worker: Whose | undefined
}

type Whose = 'own' | 'foreign'

type SumName = 'all' | 'own' | 'running' | 'models' | 'provisions'

/**
 * Sums over all VMs that are kept up with every change, so that no decision adds up the fleet. Each VM's share is remembered:
 * a change that is told twice, or late, counts once.
 */
export class Tally {
  readonly #hatchery: string
  readonly #shares = new Map<string, Share>()
  readonly #sums: Record<SumName, { count: number; cpus: number; memoryMB: number }>
  /** Names of workers' VMs, on or off. */
  readonly #workers = { own: new Map<string, number>(), foreign: new Map<string, number>() }
  /** Of these, the names of those that count as started. */
  readonly #started = { own: new Map<string, number>(), foreign: new Map<string, number>() }
  /** The others, by id: own ones that are off. */
  readonly #off = new Map<string, Vm>()
  /** Names of own VMs that are not off. */
  readonly #running = new Map<string, number>()
  readonly #startedCount = { own: { all: 0, registering: 0 }, foreign: { all: 0, registering: 0 } }
  /** Workers that CDS knows; and how many started ones are not among them. */
  #known: ReadonlySet<string>
  readonly #unknownCount = { own: { all: 0, registering: 0 }, foreign: { all: 0, registering: 0 } }

  constructor(hatchery: string, vms: Iterable<Vm>, known: ReadonlySet<string>) {
    this.#hatchery = hatchery
    this.#known = known
    const none = () => ({ count: 0, cpus: 0, memoryMB: 0 })
    this.#sums = { all: none(), own: none(), running: none(), models: none(), provisions: none() }
    for (const vm of vms) this.apply({ old: undefined, now: vm })
  }

  apply({ old, now }: VmChange): void {
    const id = (now ?? old)?.id ?? ''
    const before = this.#shares.get(id)
    if (before !== undefined) this.#count(before, -1)
    this.#shares.delete(id)
    if (now === undefined) return
    const share = this.#shareOf(now)
    this.#shares.set(id, share)
    this.#count(share, 1)
  }

  /** `all` VMs and templates of anybody; `own` without models; of these the `running`, which are not off; `models`; `provisions`. */
  sum(name: SumName): Sum {
    return { ...this.#sums[name] }
  }

  /** Whether a worker's VM of that name is there, on or off. */
  hasWorker(whose: Whose, name: string): boolean {
    return this.#workers[whose].has(name)
  }

  /** Own workers' VMs that are off: whether anything is still to come of them is not for the sums to know. */
  offWorkers(): Iterable<Vm> {
    return this.#off.values()
  }

  /** Whether a worker's VM of that name is started: an own one that is not off, or any foreign one, as the original counts. */
  isStarted(whose: Whose, name: string): boolean {
    return this.#started[whose].has(name)
  }

  /** Whether an own VM of that name is not off. */
  isRunning(name: string): boolean {
    return this.#running.has(name)
  }

  startedNames(whose: Whose): Iterable<string> {
    return this.#started[whose].keys()
  }

  startedCount(whose: Whose): { readonly all: number; readonly registering: number } {
    return this.#startedCount[whose]
  }

  /** How many of the started ones are not among those that CDS knows. */
  unknownCount(whose: Whose): { readonly all: number; readonly registering: number } {
    return this.#unknownCount[whose]
  }

  /** Which workers CDS knows has changed. Only those are looked at that were not known before, or no longer are. */
  know(names: ReadonlySet<string>): void {
    const before = this.#known
    this.#known = names
    for (const name of names) if (!before.has(name)) this.#countUnknown(name, -1)
    for (const name of before) if (!names.has(name)) this.#countUnknown(name, 1)
  }

  #countUnknown(name: string, by: 1 | -1): void {
    for (const whose of ['own', 'foreign'] as const) {
      const vms = this.#started[whose].get(name)
      if (vms !== undefined) add(this.#unknownCount[whose], name, by * vms)
    }
  }

  #shareOf(vm: Vm): Share {
    const note = readWorkerNote(vm)
    const isOwn = note?.hatcheryName === this.#hatchery
    const isWorker = !vm.template && !isProvisionName(vm.name)
    if (!isOwn) return { vm, sums: ['all'], worker: isWorker ? 'foreign' : undefined }
    // A template in the making counts as a worker only where everything does.
    if (note.model) return { vm, sums: ['all', 'models'], worker: isWorker ? 'foreign' : undefined }
    if (vm.template) return { vm, sums: ['all'], worker: undefined }
    const sums: SumName[] = ['all', 'own']
    if (vm.power !== 'off') sums.push('running')
    if (isProvisionName(vm.name) && note.provisioning) sums.push('provisions')
    return { vm, sums, worker: isWorker ? 'own' : undefined }
  }

  #count({ vm, sums, worker }: Share, by: 1 | -1): void {
    for (const name of sums) {
      const sum = this.#sums[name]
      sum.count += by
      sum.cpus += by * vm.cpus
      sum.memoryMB += by * vm.memoryMB
    }
    if (sums.includes('running')) addName(this.#running, vm.name, by)
    if (worker === undefined) return
    addName(this.#workers[worker], vm.name, by)
    if (worker === 'own' && vm.power === 'off') {
      if (by === 1) this.#off.set(vm.id, vm)
      else this.#off.delete(vm.id)
      return
    }
    addName(this.#started[worker], vm.name, by)
    add(this.#startedCount[worker], vm.name, by)
    if (!this.#known.has(vm.name)) add(this.#unknownCount[worker], vm.name, by)
  }
}

function addName(names: Map<string, number>, name: string, by: number): void {
  const left = (names.get(name) ?? 0) + by
  if (left === 0) names.delete(name)
  else names.set(name, left)
}

function add(counts: { all: number; registering: number }, name: string, by: number): void {
  counts.all += by
  if (isRegisterName(name)) counts.registering += by
}

/** Whether a worker of that name registers a worker model and takes no job. */
export function isRegisterName(name: string): boolean {
  return name.startsWith('register-')
}
