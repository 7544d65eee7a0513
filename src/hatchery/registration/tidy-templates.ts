import type { Log } from '../../ports/index.ts'
import type { FleetVm } from '../fleet/fleet-index.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import { completeTemplate, temporaryName, type TemplateTools } from './build-template.ts'

/** With what the leftovers of builds are tidied up. */
export interface TidyTools extends TemplateTools {
  readonly underWay: UnderWay
  readonly log: Log
}

/**
 * Tidies up what earlier runs, or failed builds, left of templates: one that was done is completed, one that was not is removed.
 * Resolves when all of it is done, or was tried.
 */
export async function tidyTemplates(tools: TidyTools, signal: AbortSignal): Promise<void> {
  const { fleet, underWay, log } = tools
  const left = fleet.modelTemplates().filter(({ vm }) => !vm.template && !underWay.has(vm))
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
  await removeRecords(tools)
}

const nothing = { cpus: 0, memoryMB: 0 }

async function tidyOne(tools: TidyTools, { vm, note }: FleetVm, signal: AbortSignal): Promise<void> {
  const { removal, platform, log } = tools
  const template = note.workerModelPath.split('/').pop() ?? ''
  const model = { template, path: note.workerModelPath, lastModified: note.workerModelLastModified }
  // It has its last name only when it is done.
  if (vm.name === template && vm.power === 'off') return void (await platform.markAsTemplate(vm.id, signal))
  if (vm.name !== temporaryName(template))
    return log.warn('a VM is marked as a template of this hatchery and has no name of one; it is left alone', { vm: vm.name })
  if (vm.power === 'off' && isDone(tools, vm.id)) return await completeTemplate(tools, model, vm.id, signal)
  await removal.remove(vm, 'the template was not finished', signal)
}

function isDone({ records }: TidyTools, vmId: string): boolean {
  return Array.from(records.all()).some(
    ({ spec, status }) => spec.purpose === 'Template' && status?.vmId === vmId && status.phase === 'Claiming',
  )
}

/** Records of builds of which nothing is left. */
async function removeRecords({ records, fleet, underWay, platform, log }: TidyTools): Promise<void> {
  if (platform.inventory.state.kind !== 'live') return
  const isUnderWay = (name: string) =>
    underWay.hasName(name) || platform.tasks().some(({ target, state }) => target === name && (state === 'running' || state === 'queued'))
  const over = Array.from(records.all()).filter(
    ({ spec, status }) => spec.purpose === 'Template' && fleet.ownNamed(status?.vm ?? '') === undefined && !isUnderWay(status?.vm ?? ''),
  )
  for (const record of over) {
    await records
      .remove(records.nameOf(record))
      .catch((error: unknown) => log.warn('a record could not be removed; it is tried again', { record: record.metadata.name, error }))
  }
}
