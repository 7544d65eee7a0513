import { type AddressAuthority, type HeldAddress, NameTaken, type Platform, waitForVm } from '../../platform/index.ts'
import { type Clock, DeadlineExceeded, type Log, Unreachable } from '../../ports/index.ts'
import type { Removal } from '../cleanup/removal.ts'
import { StageTooSlow } from '../errors.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Undertaking } from '../fleet/under-way.ts'
import { type WorkerNote, workerNote, writeWorkerNote } from '../fleet/worker-note.ts'
import type { StarterModel } from '../models/starter-model.ts'
import type { HatcherySettings } from '../settings.ts'
import { cloneAlone } from '../spawn/clone-alone.ts'
import { cloneRequest } from '../spawn/clone-request.ts'
import { guestLogin } from '../spawn/guest-login.ts'
import { filledCommand, inShell } from '../spawn/launch-script.ts'
import { addressReached, guestProbed, guestReached } from '../spawn/readiness.ts'
import type { SpawnRecords } from '../spawn/spawn-records.ts'
import { untilStopped } from '../spawn/until-stopped.ts'
import { slug } from '../spawn/worker-name.ts'

const minute = 60_000

/** How long all of it may take, and how long the guest may take to shut down. */
const wholeBuild = 15 * minute
const shutdownLimit = 10 * minute

/** With what templates are built. */
export interface TemplateTools {
  readonly settings: HatcherySettings
  readonly platform: Platform
  readonly fleet: Fleet
  readonly records: SpawnRecords
  readonly addresses: Pick<AddressAuthority, 'hold' | 'rivalOf'>
  readonly removal: Removal
  readonly clock: Clock
  readonly log: Log
}

/** What a template is built for. */
export type TemplateModel = Pick<
  StarterModel,
  'version' | 'id' | 'name' | 'path' | 'image' | 'template' | 'postCmd' | 'user' | 'password' | 'passwordProblem' | 'lastModified'
>

/** The name of the VM that becomes the template, until it is one. */
export function temporaryName(template: string): string {
  return `${template}-tmp`
}

/** The name of a template that makes room for a newer one, until it is removed. */
function replacedName(template: string, id: string): string {
  return `${template}-replaced-${id}`
}

/** Whether a template is one that made room for a newer one of that name. */
export function isReplaced(name: string, template: string): boolean {
  return name.startsWith(replacedName(template, ''))
}

/** The name of the record of a build: the model's number keeps apart what looks alike. */
export function templateRecord({ path, id }: Pick<TemplateModel, 'path' | 'id'>): string {
  return `template-${slug(path)}-${id ?? 0}`
}

/**
 * Builds the template of a V1 model (hatchery §4.1): a clone of the image, in which PostCmd runs, which ends in a shutdown, becomes the
 * template of the model's name. The template that was there is replaced only when the new one is done. If it rejects, the VM that was
 * begun is still there, and so is the record; whoever called takes both away.
 */
export async function buildTemplate(
  tools: TemplateTools,
  model: TemplateModel,
  undertaking: Undertaking,
  stop: AbortSignal,
): Promise<void> {
  const { settings, platform, records, clock } = tools
  const name = temporaryName(model.template)
  const record = templateRecord(model)
  const spec = { purpose: 'Template' as const, version: 1 as const, model: model.path }
  nameMustBeOurs(tools, model.template)
  const login = guestLogin(settings, model)
  const script = filledCommand(model.postCmd, model.name, settings.provision.worker.apiUrl)
  using whole = clock.deadline(wholeBuild)
  using waits = clock.deadline(wholeBuild, stop)
  const { signal } = waits
  const tell = (phase: 'Cloning' | 'Booting' | 'Probing' | 'Launching' | 'Stopping' | 'Claiming', message: string, vmId?: string) =>
    records.write(record, spec, { phase, vm: name, vmId, why: { reason: phase, message } })

  await tell('Cloning', `a VM is made of the image ${model.image}`)
  using holding = new DisposableStack()
  let address: string | undefined
  const make = async (held: HeldAddress) => {
    address = held.address
    await held.confirm(signal)
    const request = cloneRequest({ settings, name, template: model.image, note: noteFor(tools, model), size: undefined, address: held })
    const vm = await untilStopped(platform.clone(request, whole.signal), stop)
    undertaking.vmId = vm.id
    return vm
  }
  const { id } = await cloneAlone(tools, { name, holding, make, unmade: () => (undertaking.vmId = undefined) }, signal)
  await tell('Booting', 'its guest starts', id)
  await untilStopped(platform.powerOn(id, whole.signal), stop)
  await guestReached(tools, id, signal)
  await addressReached(tools, id, address, signal)
  await tell('Probing', 'a first program is started in its guest', id)
  await guestProbed(tools, id, login, signal)
  await tell('Launching', 'the command that prepares it is started in its guest', id)
  if (script.trim() === '') await platform.shutDown(id, signal)
  else {
    await platform.runInGuest(id, { ...login, ...inShell(script) }, signal).catch((error: unknown) => {
      // The guest may be gone before it can answer: that is what the command is for. Whether it ran is seen by what comes next.
      if (!Unreachable.is(error)) throw error
    })
  }
  await tell('Stopping', 'its guest shuts down', id)
  await shutDown(tools, id, signal)
  await tell('Claiming', `it becomes the template ${model.template}`, id)
  await completeTemplate(tools, model, id, signal)
  await records.remove(record)
}

/**
 * Makes a VM that is done and off the template of its model, in place of the one there was. Can be done again after a crash at any
 * point of it.
 */
export async function completeTemplate(
  tools: TemplateTools,
  model: Pick<TemplateModel, 'template' | 'path' | 'lastModified'>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const { platform, fleet } = tools
  const { template } = model
  nameMustBeOurs(tools, template)
  if (platform.inventory.byId(id)?.template !== true) {
    await platform.annotate(id, writeWorkerNote(noteFor(tools, model)), signal)
    await platform.markAsTemplate(id, signal)
  }
  // The old one goes last: until the new one has its name there is one that can be taken in its place, whatever happens in between.
  const old = fleet.modelTemplate(template)
  if (old !== undefined && old.vm.id !== id) await platform.rename(old.vm.id, replacedName(template, old.vm.id), signal)
  await platform.rename(id, template, signal)
  await removeReplaced(tools, template, signal)
}

/** Removes templates that were set aside for a newer one. */
export async function removeReplaced({ fleet, removal }: TemplateTools, template: string, signal: AbortSignal): Promise<void> {
  for (const { vm } of fleet.modelTemplates()) {
    if (isReplaced(vm.name, template)) await removal.remove(vm, 'a newer template took its place', signal)
  }
}

/** The name of the template must be free, or that of one that this hatchery built: the operator's image is nobody's to replace. */
function nameMustBeOurs({ fleet, settings }: TemplateTools, name: string): void {
  const isOurs = (id: string) => fleet.modelTemplates().some(({ vm, note }) => vm.id === id && note.hatcheryName === settings.name)
  if (fleet.named(name).some(({ id }) => !isOurs(id))) throw NameTaken({ name })
}

function noteFor({ settings, clock }: TemplateTools, { path, lastModified }: Pick<TemplateModel, 'path' | 'lastModified'>): WorkerNote {
  return workerNote({
    hatcheryName: settings.name,
    workerModelPath: path,
    workerModelLastModified: lastModified,
    model: true,
    created: clock.now(),
  })
}

async function shutDown({ platform, clock }: TemplateTools, id: string, signal: AbortSignal): Promise<void> {
  using limit = clock.deadline(shutdownLimit, signal)
  try {
    await platform.inventory.whenLive(limit.signal)
    await waitForVm(platform.inventory, id, vm => vm.power === 'off' || undefined, limit.signal)
  } catch (error) {
    if (!DeadlineExceeded.is(error) || signal.aborted) throw error
    throw StageTooSlow({
      what: 'the shutdown of the guest',
      minutes: shutdownLimit / minute,
      seen: 'post_cmd of the worker model must end in one',
    })
  }
}
