import { ageOf } from '../../kinds/index.ts'
import { noteField, NotThere, type Vm } from '../../platform/index.ts'
import { aborted, isoTime } from '../../ports/index.ts'
import { liveVms } from '../../vsphere/index.ts'
import type { Io } from '../io.ts'
import type { LiveForm } from '../output/live-rows.ts'
import { showRows } from '../output/show-rows.ts'
import { memoryText } from '../output/size-text.ts'
import { atVcenters, namesOf } from '../vcenter.ts'
import type { OpenVcenter, VcenterOptions } from '../vcenter.ts'

interface VmsOptions extends VcenterOptions {
  readonly output: LiveForm<Shown>['output']
  readonly watch?: boolean
  readonly templates?: boolean
}

/** A VM, or the last that was known of one that is gone. */
interface Shown {
  readonly vm: Vm
  readonly gone: boolean
  /** Where. */
  readonly vcenter: string
}

/** `aviary vsphere vms`: everything there is, from the inventory that the program itself uses; then each change. */
export async function run(names: readonly string[], options: VmsOptions, io: Io): Promise<number> {
  const isWanted = (vm: Vm) => (names.length === 0 || names.includes(vm.name)) && (options.templates !== true || vm.template)
  return await atVcenters(options, io, async (vcenters, { several, complete }) => {
    const shown = (await Promise.all(vcenters.map(vcenter => shownOf(vcenter, isWanted, io)))).flat()
    const missing = names.find(name => !shown.some(({ vm }) => vm.name === name))
    if (missing !== undefined && complete && options.watch !== true)
      throw NotThere({ what: options.templates === true ? 'template' : 'VM', name: missing })
    const form = formOf(options, io, several)
    const showMore = showRows(shown, form, { watch: options.watch, none: `There are no VMs on ${namesOf(vcenters)}.` }, io)
    if (showMore === undefined) return
    for (const { label, connection } of vcenters) {
      connection.inventory.onChange(({ old, now }) => {
        const vm = now ?? old
        if (vm !== undefined && isWanted(vm)) showMore([{ vm, gone: now === undefined, vcenter: label }])
      })
    }
    await aborted(io.signal)
  })
}

async function shownOf({ label, connection }: OpenVcenter, isWanted: (vm: Vm) => boolean, { signal }: Io): Promise<readonly Shown[]> {
  return (await liveVms(connection, signal)).filter(isWanted).map(vm => ({ vm, gone: false, vcenter: label }))
}

/** `several`: whether it must be said on which vCenter each is. */
function formOf({ output }: VmsOptions, { columns, clock }: Io, several: boolean): LiveForm<Shown> {
  const now = () => clock.now()
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    output,
    width: columns,
    nameOf: ({ vm }) => vm.name,
    plain: ({ vm: { note: _, bootedAt, ...vm }, gone, vcenter }) => ({
      ...(several && { vcenter }),
      ...vm,
      bootedAt: bootedAt === undefined ? null : isoTime(bootedAt),
      ...(gone && { gone }),
    }),
    columns: [
      ...(several ? [{ heading: 'vCenter', cell: ({ vcenter }: Shown) => vcenter }] : []),
      { heading: 'Name', cell: ({ vm }) => vm.name },
      { heading: 'Power', cell: ({ vm, gone }) => (gone ? 'gone' : vm.template ? 'template' : vm.power) },
      { heading: 'CPUs', cell: ({ vm }) => String(vm.cpus) },
      { heading: 'Memory', cell: ({ vm }) => memoryText(vm.memoryMB) },
      { heading: 'Address', cell: ({ vm }) => vm.addresses[0] ?? '' },
      { heading: 'Guest', cell: ({ vm }) => (vm.guestReady ? 'ready' : '') },
      { heading: 'Hatchery', cell: ({ vm }) => text(noteField(vm.note, 'hatchery_name')) },
      { heading: 'Up', cell: ({ vm }) => (vm.bootedAt === undefined ? '' : ageOf(isoTime(vm.bootedAt), now())) },
      { heading: 'Id', wide: true, cell: ({ vm }) => vm.id },
      { heading: 'Host', wide: true, cell: ({ vm }) => vm.host ?? '' },
      { heading: 'Addresses', wide: true, cell: ({ vm }) => vm.addresses.slice(1).join(' ') },
      { heading: 'Annotation', wide: true, cell: ({ vm }) => vm.annotation },
    ],
  }
}
