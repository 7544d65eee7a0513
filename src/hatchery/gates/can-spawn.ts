import type { Flavors } from '../../platform/index.ts'
import type { V1Model } from '../cds/cds.ts'
import { claimOrder } from '../fleet/claim-order.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { FleetVm } from '../fleet/fleet-index.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { Job } from '../jobs/job.ts'
import { hasTooManyErrors, howToForgetErrors } from '../models/spawn-errors.ts'
import type { StarterModel } from '../models/starter-model.ts'
import { modelType } from '../models/starter-models.ts'
import type { Refusal } from './verdict.ts'

/** What is known of addresses in memory: the part of the address authority that deciding needs. */
export interface FreeAddresses {
  hasFree(count?: number): boolean
  isHeldFor(holder: string): boolean
}

/** What the eligibility of a job or a registration is judged by. */
export interface Eligibility {
  readonly fleet: Fleet
  readonly underWay: UnderWay
  readonly addresses: FreeAddresses
  /** How many addresses the configured ranges hold. 0: DHCP. */
  readonly addressCount: number
  readonly flavors: Flavors
}

/** What is to become a worker: a VM that stands ready, or a fresh clone (undefined); or why neither can be. */
export type Choice = { readonly kind: 'chosen'; readonly claim: FleetVm | undefined } | { readonly kind: 'none'; readonly refusal: Refusal }

/** What no VM of this hatchery can give. A `flavor` it can. */
const impossible = new Set(['service', 'memory', 'hostname'])

/**
 * Whether a worker can be started for a job from a model (hatchery §6.5), and from which VM: one of its flavor that stands ready, one
 * of no flavor, a fresh clone if there is an address for it, one that is kept for another flavor (§13.6).
 */
export function eligibleJob(job: Job, model: StarterModel, eligibility: Eligibility): Choice {
  const refusal = checkRequirements(job) ?? checkCommand(model) ?? checkDuplicate(job, eligibility)
  if (refusal !== undefined) return { kind: 'none', refusal }
  const { fleet, flavors } = eligibility
  const order = claimOrder(fleet, model, flavors.find(model.flavor)?.name ?? '')
  const [first] = order.first
  if (first !== undefined) return { kind: 'chosen', claim: first }
  const noAddress = checkAddresses(model, eligibility)
  if (noAddress === undefined) return { kind: 'chosen', claim: undefined }
  const [last] = order.lastResort
  return last === undefined ? { kind: 'none', refusal: noAddress } : { kind: 'chosen', claim: last }
}

/** Whether a V1 model can be registered; always by a fresh clone (hatchery §6.5.4). */
export function eligibleRegistration(v1: V1Model, model: StarterModel, eligibility: Eligibility): Choice {
  const refusal =
    checkRegistrable(v1) ?? checkCommand(model) ?? checkRegistrationDuplicate(model, eligibility) ?? checkAddresses(model, eligibility)
  return refusal === undefined ? { kind: 'chosen', claim: undefined } : { kind: 'none', refusal }
}

/** Requirements that no model makes possible. Only V1 jobs have any. */
function checkRequirements({ version, requirements }: Job): Refusal | undefined {
  const found = version === 1 ? requirements.find(({ type }) => impossible.has(type)) : undefined
  if (found === undefined) return undefined
  const message = `the job requires ${found.type} "${found.value}", which this hatchery does not support`
  return refuse('UnsupportedRequirement', message, 'remove the requirement from the job, or let another hatchery take it')
}

/** A model without a command starts nothing. */
function checkCommand({ name, cmd }: StarterModel): Refusal | undefined {
  if (cmd !== '') return undefined
  return refuse('NoCommand', `worker model ${name} has no command that starts a worker`, 'set its cmd in CDS')
}

/** No VM of any hatchery may be there for the job. A job that this program works on already does not come so far. */
function checkDuplicate({ id }: Job, { fleet }: Eligibility): Refusal | undefined {
  const [holder] = fleet.holdersOfJob(id)
  if (holder === undefined) return undefined
  const whose = holder.note.hatcheryName === fleet.name ? 'this hatchery' : `hatchery "${holder.note.hatcheryName}"`
  return refuse('JobHasVm', `VM ${holder.vm.name} of ${whose} is there for this job`, 'it goes on when that VM is gone')
}

/** A V1 model that cannot be registered whatever there is room for. */
function checkRegistrable(model: V1Model): Refusal | undefined {
  const { name, type, spawnErrors } = model
  if (type !== modelType) return refuse('WrongModelType', `worker model ${name} is of type "${type}", not "${modelType}"`)
  if (!hasTooManyErrors(model)) return undefined
  return refuse('TooManyModelErrors', `starting worker model ${name} failed ${spawnErrors} times`, howToForgetErrors)
}

/** Whether a model is being registered already, by a VM of any hatchery or by this program. */
function checkRegistrationDuplicate({ path, template, name }: StarterModel, { fleet, underWay }: Eligibility): Refusal | undefined {
  const [vm] = [...fleet.named(`${template}-tmp`), ...fleet.registrationsOf(path).map(each => each.vm)]
  if (vm !== undefined) {
    return refuse('ModelHasVm', `VM ${vm.name} is there for the registration of ${name}`, 'it goes on when that VM is gone')
  }
  if (!underWay.of('Registration').some(({ model }) => model === path)) return undefined
  return refuse('ModelUnderWay', `${name} is being registered at this moment`)
}

/** Whether a fresh clone would find an address. Those that others under way have not taken yet are left to them. */
function checkAddresses({ name }: StarterModel, { addresses, underWay, addressCount }: Eligibility): Refusal | undefined {
  let promised = 0
  for (const { vmId, vmName } of underWay.all()) if (vmId === undefined && (vmName === '' || !addresses.isHeldFor(vmName))) promised++
  if (addresses.hasFree(promised + 1)) return undefined
  const others = promised === 0 ? '' : `; ${promised} VMs that are being made wait for one too`
  const message = `no VM stands ready for ${name}, and none of the ${addressCount} addresses is free for a new one${others}`
  const unblock = 'it goes on when a VM is removed; add a range to iprange or networks, or see who holds them: aviary hatchery addresses'
  return refuse('NoAddressFree', message, unblock)
}

function refuse(reason: string, message: string, unblock?: string): Refusal {
  return unblock === undefined ? { gate: 'CanSpawn', reason, message } : { gate: 'CanSpawn', reason, message, unblock }
}
