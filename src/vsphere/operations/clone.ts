import { NameTaken, NotThere, templateAmong, type CloneRequest, type Vm } from '../../platform/index.ts'
import type { VsphereConnection } from '../connection.ts'
import { isFault } from '../soap/session.ts'
import { cloneArguments, type ClonePlan } from '../vim/clone-spec.ts'
import { cardChanges } from '../vim/network-card.ts'
import { writtenName } from '../vim/object-name.ts'
import { refOf } from '../vim/property-collector.ts'
import { child } from '../xml/element.ts'
import { reference, type Ref } from '../xml/writer.ts'
import { answered, carryOut, quiet } from './carry-out.ts'
import { readVm, vmRef } from './vm-access.ts'

/** How long to wait for a VM to get its configuration that carries our name and is just being made. */
const makingTakes = 60_000

/** Makes a VM from a template, or finds the one that an earlier call made. */
export async function cloneVm(connection: VsphereConnection, request: CloneRequest, signal: AbortSignal, timeout: number): Promise<Vm> {
  const { clones, places } = connection
  await connection.live(signal)
  const before = await findOurs(connection, request, signal)
  if (before !== undefined) return before
  const template = templateCalled(connection, request.template)
  const plan = await planFor(connection, template, request, signal)
  try {
    return await carryOut(
      connection,
      {
        method: 'CloneVM_Task',
        on: vmRef(template.id),
        args: cloneArguments({ ...request, name: writtenName(request.name) }, plan),
        target: request.name,
        timeout,
        shows: () => shownAs(connection, request) !== undefined,
        showsEarly: true,
        done: (task, limit) => made(connection, request, task, limit),
        look: limit => findOurs(connection, request, limit, { fresh: true }),
      },
      signal,
    )
  } catch (error) {
    // What was looked up may be what was wrong.
    clones.forget()
    places.forget()
    if (!isFault(error, 'DuplicateName')) throw error
    const there = await madeBefore(connection, template, request, signal)
    if (there === undefined) throw NameTaken({ name: request.name }, { cause: error })
    return there
  }
}

/**
 * The VM of that name, if it is ours, although the inventory did not show it. An earlier life of this program may still be making it:
 * the name is taken from the beginning, the VM may show only in the end.
 */
function madeBefore(connection: VsphereConnection, template: Vm, request: CloneRequest, signal: AbortSignal): Promise<Vm | undefined> {
  return answered(
    connection,
    async () => {
      await quiet(connection, vmRef(template.id), signal)
      return findOurs(connection, request, signal, { fresh: true })
    },
    signal,
  )
}

/** The VM that carries the name, if it is ours. Throws NameTaken if it is somebody else's. */
async function findOurs(
  connection: VsphereConnection,
  request: CloneRequest,
  signal: AbortSignal,
  { fresh = false } = {},
): Promise<Vm | undefined> {
  const { inventory, vms } = connection
  let named: readonly Vm[]
  if (fresh) named = await readByName(connection, request, signal)
  else {
    named = inventory.byName(request.name)
    if (named.some(vm => !request.isOurs(vm) && vms.isUnfinished(vm.id))) named = await finished(connection, request, signal)
  }
  const ours = named.find(vm => request.isOurs(vm))
  if (ours !== undefined) return ours
  // Names are unique in a folder only, but people and DNS know no folders.
  if (named.length > 0) throw NameTaken({ name: request.name })
  return undefined
}

/** Somebody, perhaps an earlier life of this program, is making a VM of that name: its mark shows when its configuration is there. */
async function finished(
  { inventory, vms, clock }: VsphereConnection,
  { name, isOurs }: CloneRequest,
  signal: AbortSignal,
): Promise<readonly Vm[]> {
  for (let waited = 0; waited < makingTakes; waited += 500) {
    const named = inventory.byName(name)
    if (named.every(vm => isOurs(vm) || !vms.isUnfinished(vm.id))) return named
    await clock.sleep(500, signal)
  }
  return inventory.byName(name)
}

/** Asks vCenter itself: after a lost answer the watch may be as late as the answer was. */
async function readByName(connection: VsphereConnection, { name, folder }: CloneRequest, signal: AbortSignal): Promise<readonly Vm[]> {
  const { session, places, inventory } = connection
  const parent = await places.find('folder', folder)
  const { manager } = await session.content(signal)
  const answer = await session.call('FindChild', manager('searchIndex'), { entity: reference(parent), name: writtenName(name) }, { signal })
  const found = child(answer, 'returnval')
  const vm = found === undefined ? undefined : await readVm(connection, refOf(found).id, signal)
  if (vm !== undefined) {
    inventory.wrote(vm)
    return [vm]
  }
  return inventory.state.kind === 'live' ? inventory.byName(name) : []
}

/** The VM that was asked for, once the inventory shows it whole. */
function shownAs({ inventory, vms }: VsphereConnection, { name, isOurs }: CloneRequest): Vm | undefined {
  return inventory.byName(name).find(vm => !vms.isUnfinished(vm.id) && isOurs(vm))
}

async function made(connection: VsphereConnection, request: CloneRequest, task: Ref, signal: AbortSignal): Promise<Vm> {
  const { inventory, tasks } = connection
  // Usually the same answer of the watch that told of the task's end brought the VM too.
  const ours = inventory.state.kind === 'live' ? shownAs(connection, request) : undefined
  if (ours !== undefined) return ours
  const vm = await answered(
    connection,
    async () => {
      const result = await tasks.result(task, signal)
      return result === undefined ? undefined : await readVm(connection, result.id, signal)
    },
    signal,
  )
  if (vm === undefined) throw NotThere({ what: 'VM', name: request.name })
  inventory.wrote(vm)
  return vm
}

function templateCalled({ inventory }: VsphereConnection, name: string): Vm {
  const template = templateAmong(inventory.byName(name))
  if (template?.template !== true) throw NotThere({ what: 'template', name })
  return template
}

async function planFor(connection: VsphereConnection, template: Vm, request: CloneRequest, signal: AbortSignal): Promise<ClonePlan> {
  const { places, clones } = connection
  const { folder, resourcePool, datastore, network, linked, diskGB } = request
  return answered(
    connection,
    async () => {
      const facts = await clones.template(template.id)
      const backing = network?.network === undefined ? undefined : await clones.network(network.network)
      return {
        folder: await places.find('folder', folder),
        resourcePool: await places.find('resourcePool', resourcePool),
        datastore: datastore === undefined ? undefined : await places.find('datastore', datastore),
        // vCenter refuses to expand a disk that shares another's data.
        linked: linked !== false && (diskGB ?? 0) <= facts.diskGB,
        snapshot: facts.snapshot,
        coresPerSocket: facts.coresPerSocket,
        deviceChanges: network === undefined ? [] : cardChanges(network.card, backing, facts.cards[0]),
        cards: Math.max(facts.cards.length, backing === undefined ? 0 : 1),
      }
    },
    signal,
  )
}
