import { NameTaken } from '../../platform/index.ts'
import type { FleetVm } from '../fleet/fleet-index.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { WorkerNote } from '../fleet/worker-note.ts'
import { completeTemplate, isReplaced, removeReplaced, temporaryName, type TemplateTools } from './build-template.ts'

/** With what the leftovers of builds are tidied up. */
export interface TidyTools extends TemplateTools {
  readonly underWay: UnderWay
}

/**
 * Tidies up what earlier runs, or failed builds, left of templates: one that was done is completed, one that was not is removed.
 * Resolves when all of it is done, or was tried.
 */
export async function tidyTemplates(tools: TidyTools, signal: AbortSignal): Promise<void> {
  const { fleet, underWay, log } = tools
  const isLeft = ({ vm, note }: FleetVm) => !vm.template || vm.name === temporaryName(templateOf(note))
  const left = fleet.modelTemplates().filter(each => isLeft(each) && !underWay.has(each.vm))
  // All are entered before the first is begun, so that nobody begins to build what is being tidied up.
  const work = left.map(each => {
    const { vm, note } = each
    const undertaking = underWay.begin({
      purpose: 'Template',
      jobId: '',
      vmName: vm.name,
      vmId: vm.id,
      size: nothing,
      model: note.workerModelPath,
    })
    return { each, undertaking }
  })
  const tidy = async ({ each, undertaking }: (typeof work)[number]) => {
    using _ = undertaking
    try {
      await tidyOne(tools, each, signal)
    } catch (error) {
      if (!signal.aborted) log.warn('what is left of a template could not be tidied up; it is tried again', { vm: each.vm.name, error })
    }
  }
  await Promise.all(work.map(tidy))
  await tidyReplaced(tools, signal)
  await removeRecords(tools)
}

/** Templates that made room for newer ones go when those are there; if one never came, the old one takes its place again. */
async function tidyReplaced(tools: TidyTools, signal: AbortSignal): Promise<void> {
  const { fleet, underWay, platform, log } = tools
  if (platform.inventory.state.kind !== 'live') return
  for (const { vm, note } of fleet.modelTemplates()) {
    const template = templateOf(note)
    if (!isReplaced(vm.name, template) || underWay.doomed.has(vm.id) || underWay.hasName(temporaryName(template))) continue
    try {
      if (fleet.named(template).length > 0) await removeReplaced(tools, template, signal)
      else if (fleet.named(temporaryName(template)).length === 0) await platform.rename(vm.id, template, signal)
    } catch (error) {
      if (!signal.aborted) log.warn('a template that was replaced could not be tidied up; it is tried again', { vm: vm.name, error })
    }
  }
}

/** The name of the template that a VM is, or was to become. */
function templateOf({ workerModelPath }: WorkerNote): string {
  return workerModelPath.split('/').pop() ?? ''
}

const nothing = { cpus: 0, memoryMB: 0 }

async function tidyOne(tools: TidyTools, { vm, note }: FleetVm, signal: AbortSignal): Promise<void> {
  const { removal, platform, log } = tools
  const template = templateOf(note)
  const model = { template, path: note.workerModelPath, lastModified: note.workerModelLastModified }
  // It has its last name only when it is done.
  if (vm.name === template && vm.power === 'off') return void (await platform.markAsTemplate(vm.id, signal))
  if (vm.name !== temporaryName(template))
    return log.warn('a VM is marked as a template of this hatchery and has no name of one; it is left alone', { vm: vm.name })
  if (!vm.template && (vm.power !== 'off' || !isDone(tools, vm.id)))
    return await removal.remove(vm, 'the template was not finished', signal)
  try {
    await completeTemplate(tools, model, vm.id, signal)
  } catch (error) {
    if (!NameTaken.is(error)) throw error
    // Another hatchery was faster: its template serves both, and this one would wait for the name for good.
    await removal.remove(vm, `the name "${template}" belongs to a VM of another owner`, signal)
  }
}

function isDone({ records }: TidyTools, vmId: string): boolean {
  return Array.from(records.all()).some(
    ({ spec, status }) => spec.purpose === 'Template' && status?.vmId === vmId && status.phase === 'Claiming',
  )
}

/** Records of builds of which nothing is left. */
async function removeRecords({ records, fleet, underWay, platform }: TidyTools): Promise<void> {
  if (platform.inventory.state.kind !== 'live') return
  const isUnderWay = (name: string) =>
    underWay.hasName(name) || platform.tasks().some(({ target, state }) => target === name && (state === 'running' || state === 'queued'))
  const over = Array.from(records.all()).filter(
    ({ spec, status }) => spec.purpose === 'Template' && fleet.ownNamed(status?.vm ?? '') === undefined && !isUnderWay(status?.vm ?? ''),
  )
  for (const record of over) await records.remove(records.nameOf(record))
}
