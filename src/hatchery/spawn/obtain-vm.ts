import { type ClaimOrder, claimOrder } from '../fleet/claim-order.ts'
import type { FleetVm } from '../fleet/fleet-index.ts'
import { readWorkerNote, type WorkerNote, workerNote, writeWorkerNote } from '../fleet/worker-note.ts'
import {
  AddressLeaseLost,
  ClaimLost,
  DiskNotGrown,
  type HeldAddress,
  NoAddressFree,
  NoCapacity,
  NotThere,
  type Size,
  type Vm,
} from '../../platform/index.ts'
import type { Attempt } from './attempt.ts'
import { cloneAlone } from './clone-alone.ts'
import { cloneRequest } from './clone-request.ts'
import type { SpawnerOptions } from './spawner-options.ts'
import { untilStopped } from './until-stopped.ts'

/** If a clone takes longer, the time from which the worker's life counts is written anew. */
const longClone = 60_000

/** A VM for the attempt: one that stands ready if it suits, else a fresh clone, else one that stands ready for another flavor. */
export async function obtainVm(options: SpawnerOptions, attempt: Attempt): Promise<Vm> {
  const vm = await readyOrCloned(options, attempt)
  const wanted = attempt.plan.flavor?.diskSizeGB
  if (wanted === undefined) return vm
  const has = await options.platform.diskGB(vm.id, attempt.waits)
  // Disks only grow: what is larger than wanted stays so, and is said.
  if (has !== undefined && has > wanted)
    options.log.warn('a flavor asks for a smaller disk than its VM has; it stays as it is', { worker: attempt.worker, has, wanted })
  return vm
}

async function readyOrCloned(options: SpawnerOptions, attempt: Attempt): Promise<Vm> {
  if (attempt.assignment.purpose === 'Registration') return await cloned(options, attempt)
  const ready = await claimed(options, attempt, order => order.first)
  if (ready !== undefined) return ready
  try {
    return await cloned(options, attempt)
  } catch (error) {
    if (!NoAddressFree.is(error) && !NoCapacity.is(error)) throw error
    const last = await claimed(options, attempt, order => order.lastResort)
    if (last === undefined) throw error
    options.log.info('no clone is possible, so a VM of another flavor is taken', { worker: attempt.worker, why: error.message })
    return last
  }
}

/** Takes the first VM that is still to be had; undefined if there is none. */
async function claimed(options: SpawnerOptions, attempt: Attempt, pick: (order: ClaimOrder) => Iterable<FleetVm>): Promise<Vm | undefined> {
  const { fleet, records, onClaim } = options
  const { model, flavor } = attempt.plan
  const { assignment, undertaking, worker } = attempt
  const tried = new Set<string>()
  for (;;) {
    attempt.waits.throwIfAborted()
    const isUntried = ({ vm }: FleetVm) => !tried.has(vm.id)
    const order = claimOrder(fleet, model, flavor?.name ?? '')
    const candidate = chosen(options, attempt).find(isUntried) ?? Iterator.from(pick(order)).find(isUntried)
    if (candidate === undefined) return undefined
    // No pause between the choice and this: from here on nobody else takes it.
    undertaking.vmId = candidate.vm.id
    const { vm, note } = candidate
    // The inventory may lag behind whoever was quicker.
    tried.add(vm.id)
    const why = { reason: 'Claiming', message: `takes the VM "${vm.name}" that stands ready, as worker "${worker}"` }
    await records.write(assignment.record, assignment.spec, { phase: 'Claiming', vmId: vm.id, address: note.ipAddress || undefined, why })
    try {
      return await claim(options, attempt, candidate)
    } catch (error) {
      if (!ClaimLost.is(error) && !NotThere.is(error) && !DiskNotGrown.is(error)) throw error
      undertaking.vmId = undefined
      options.log.warn('a VM that stood ready cannot be taken', { vm: vm.name, worker, error })
      // The others of this template have the same disk; a clone of its own can have a larger one.
      if (DiskNotGrown.is(error)) return undefined
    } finally {
      onClaim?.()
    }
  }
}

/** The VM that the decision to start the worker chose already, if it still stands ready. */
function chosen({ platform }: SpawnerOptions, { undertaking }: Attempt): readonly FleetVm[] {
  const vm = undertaking.vmId === undefined ? undefined : platform.inventory.byId(undertaking.vmId)
  const note = vm === undefined ? undefined : readWorkerNote(vm)
  return vm !== undefined && note?.provisioning === true && vm.power === 'off' ? [{ vm, note }] : []
}

async function claim(options: SpawnerOptions, attempt: Attempt, { vm, note }: FleetVm): Promise<Vm> {
  const { platform, clock, settings, addresses, log } = options
  const { plan, worker, assignment } = attempt
  const size = sizeToGive(attempt, { vm, note })
  const claimedNote = {
    ...note,
    workerName: worker,
    provisioning: false,
    jobId: assignment.jobId,
    workerStartTime: clock.now(),
    flavor: plan.flavor?.name ?? '',
  }
  const request = {
    id: vm.id,
    expectedName: vm.name,
    name: worker,
    annotation: writeWorkerNote(claimedNote, vm),
    // What fits already is not touched.
    ...(size !== undefined && (size.cpus !== vm.cpus || size.memoryMB !== vm.memoryMB) && { cpus: size.cpus, memoryMB: size.memoryMB }),
    ...(plan.flavor?.diskSizeGB !== undefined && { diskGB: plan.flavor.diskSizeGB }),
  }
  const done = await untilStopped(platform.claim(request, attempt.calls), attempt.stop)
  const network = settings.networks.find(({ contains }) => contains(note.ipAddress))?.name
  if (network !== undefined) {
    // The annotation shows the address to everybody; the lease only says the same once more.
    await addresses.rename({ network, address: note.ipAddress }, vm.name, worker).catch((error: unknown) => {
      if (!AddressLeaseLost.is(error))
        log.warn('the lease of an address did not get its new name', { address: note.ipAddress, worker, error })
    })
  }
  return done
}

/** What a VM is to have that stood ready; undefined: as it is. One that was made for another flavor goes back to the template's. */
function sizeToGive({ plan }: Attempt, { note }: FleetVm): Size | undefined {
  if (plan.flavor !== undefined) return plan.flavor
  return note.flavor === '' || plan.size.cpus < 1 || plan.size.memoryMB < 1 ? undefined : plan.size
}

async function cloned(options: SpawnerOptions, attempt: Attempt): Promise<Vm> {
  const { undertaking, worker, holding, waits } = attempt
  const make = (held: HeldAddress) => clonedWith(options, attempt, held)
  const unmade = () => (undertaking.vmId = undefined)
  unmade()
  return await cloneAlone(options, { name: worker, holding, make, unmade }, waits)
}

async function clonedWith(options: SpawnerOptions, attempt: Attempt, held: HeldAddress): Promise<Vm> {
  const { platform, clock, settings, records } = options
  const { plan, worker, assignment, undertaking } = attempt
  const why = { reason: 'Cloning', message: `makes a VM from template "${plan.model.template}" for worker "${worker}"` }
  const { address, network } = held
  await records.write(assignment.record, assignment.spec, { phase: 'Cloning', vmId: undefined, address, network, why })
  await held.confirm(attempt.waits)
  const begun = clock.now()
  const note = freshNote(options, attempt, begun)
  const request = cloneRequest({ settings, name: worker, template: plan.model.template, note, size: plan.flavor, address: held })
  attempt.mayAppear = true
  const vm = await untilStopped(platform.clone(request, attempt.calls), attempt.stop)
  attempt.mayAppear = false
  undertaking.vmId = vm.id
  if (clock.now() - begun < longClone) return vm
  // Clean-up counts from the start: a worker must not lose the time that its clone took.
  const restarted = { ...(readWorkerNote(vm) ?? note), workerStartTime: clock.now() }
  return await platform.annotate(vm.id, writeWorkerNote(restarted, vm), attempt.calls)
}

function freshNote({ settings }: SpawnerOptions, { plan, worker, assignment }: Attempt, now: number): WorkerNote {
  const { model, flavor } = plan
  return workerNote({
    hatcheryName: settings.name,
    workerName: worker,
    registerOnly: assignment.purpose === 'Registration',
    workerModelPath: model.path,
    vmwareModelPath: model.template,
    workerModelLastModified: model.lastModified,
    created: now,
    workerStartTime: now,
    jobId: assignment.jobId,
    flavor: flavor?.name ?? '',
  })
}
