import { type AddressAuthority, AddressContested, type HeldAddress, type Platform, type Size } from '../../platform/index.ts'
import type { Clock, Log } from '../../ports/index.ts'
import type { Undertaking } from '../fleet/under-way.ts'
import { readWorkerNote, type WorkerNote, workerNote, writeWorkerNote } from '../fleet/worker-note.ts'
import type { HatcherySettings } from '../settings.ts'
import { cloneAlone } from '../spawn/clone-alone.ts'
import { cloneRequest } from '../spawn/clone-request.ts'
import { addressReached, guestReached } from '../spawn/readiness.ts'
import { untilStopped } from '../spawn/until-stopped.ts'
import type { SpawnRecords, SpawnSpec } from '../spawn/spawn-records.ts'
import type { Pool } from './pool.ts'

/** With what VMs are made to stand ready. */
export interface ProvisionTools {
  readonly settings: Pick<HatcherySettings, 'name' | 'vsphere'>
  readonly platform: Platform
  readonly records: SpawnRecords
  readonly addresses: Pick<AddressAuthority, 'hold' | 'hasFree' | 'rivalOf'>
  readonly clock: Clock
  readonly log: Log
}

/** What is to stand ready. */
export interface Provision {
  readonly name: string
  readonly pool: Pick<Pool, 'version' | 'model' | 'flavor'>
  /** The template to clone. */
  readonly template: string
  /** Undefined: as the template is. */
  readonly size: Size | undefined
  /** V1: of which time the model is that the template was built for. */
  readonly lastModified: string
}

/** A VM that was made, and has to boot once before it stands ready. */
export interface MadeProvision extends Pick<Provision, 'name' | 'pool'> {
  readonly id: string
  /** Undefined: whatever its guest gets. */
  readonly address: string | undefined
}

/** How long a clone may take. A template that needs longer would hold up the others of its pool for ever. */
const cloneLimit = 15 * 60_000

/** Makes a VM of a template and boots it once, so that its guest is set up and it starts quickly when a job claims it. */
export async function makeProvision(
  tools: ProvisionTools,
  provision: Provision,
  undertaking: Undertaking,
  signal: AbortSignal,
): Promise<'ready'> {
  const { platform, records, settings, clock } = tools
  const { name, template, size } = provision
  const { flavor } = provision.pool
  await records.write(name, specOf(provision), { phase: 'Cloning', vm: name, worker: name, flavor, why: why.cloning(template) })
  using holding = new DisposableStack()
  let address: string | undefined
  const make = async (held: HeldAddress) => {
    address = held.address
    await records.write(name, specOf(provision), { address, network: held.network, cpus: size?.cpus, memoryMB: size?.memoryMB })
    await held.confirm(signal)
    using limit = clock.deadline(cloneLimit)
    const request = cloneRequest({ settings, name, template, note: noteOf(provision, settings.name), size, address: held })
    const vm = await untilStopped(platform.clone(request, limit.signal), signal)
    undertaking.vmId = vm.id
    return vm
  }
  const { id } = await cloneAlone(tools, { name, holding, make, unmade: () => (undertaking.vmId = undefined) }, signal)
  return await bootOnce(tools, { ...provision, id, address }, signal)
}

/** Sees to it that nobody else's VM has the address of one that an earlier run left half made: that run may not have got so far. */
export async function mustBeAlone(
  { addresses }: Pick<ProvisionTools, 'addresses'>,
  { id, address }: Pick<MadeProvision, 'id' | 'address'>,
  signal: AbortSignal,
): Promise<void> {
  const rival = address === undefined ? undefined : await addresses.rivalOf({ id, address }, signal)
  if (address !== undefined && rival !== undefined) throw AddressContested({ address, rival: rival.name, tries: 1 })
}

/** Boots a VM once and switches it off: then it stands ready, and its record goes. */
export async function bootOnce(tools: ProvisionTools, made: MadeProvision, signal: AbortSignal): Promise<'ready'> {
  const { platform } = tools
  const { name, id, address } = made
  await note(tools, made, { phase: 'Booting', vm: name, vmId: id, why: why.booting })
  await platform.powerOn(id, signal)
  await guestReached(tools, id, signal)
  await addressReached(tools, id, address, signal)
  await markWhole(tools, id, signal)
  await note(tools, made, { phase: 'Stopping', why: why.stopping })
  await platform.powerOff(id, signal)
  return await standsReady(tools, name)
}

/** Nothing is left to do but to remove the record. */
export async function standsReady({ records }: Pick<ProvisionTools, 'records'>, name: string): Promise<'ready'> {
  await records.remove(name)
  return 'ready'
}

/** Says on the VM itself that its guest was set up. Nothing else that vCenter shows of a VM that is off tells whether it ever was on. */
async function markWhole({ platform, clock }: ProvisionTools, id: string, signal: AbortSignal): Promise<void> {
  const vm = platform.inventory.byId(id)
  const found = vm === undefined ? undefined : readWorkerNote(vm)
  if (found === undefined || found.created !== undefined) return
  await platform.annotate(id, writeWorkerNote({ ...found, created: clock.now() }, vm), signal)
}

/** What the record of a provision is about. */
function specOf({ pool: { version, model } }: Pick<Provision, 'pool'>): SpawnSpec {
  return { purpose: 'Provision', version, model }
}

/** Writes down how far it is. The VM is the record by now: if this cannot be written, it is made all the same. */
async function note(
  { records, log }: ProvisionTools,
  provision: Pick<Provision, 'name' | 'pool'>,
  change: Parameters<SpawnRecords['write']>[2],
): Promise<void> {
  await records
    .write(provision.name, specOf(provision), change)
    .catch((error: unknown) => log.warn('how far a provision is could not be written down', { vm: provision.name, error }))
}

/** Without `created`, which is written when it is whole. */
function noteOf({ name, pool, lastModified }: Provision, hatcheryName: string): WorkerNote {
  const { version, model, flavor = '' } = pool
  const models = version === 1 ? { workerModelPath: model, workerModelLastModified: lastModified } : { vmwareModelPath: model }
  return workerNote({ hatcheryName, workerName: name, provisioning: true, flavor, ...models })
}

const why = {
  cloning: (template: string) => ({ reason: 'Cloning', message: `a VM is made of the template ${template}` }),
  booting: { reason: 'Booting', message: 'its guest starts for the first time' },
  stopping: { reason: 'Stopping', message: 'its guest was set up and is switched off; then it stands ready' },
}
