import type { AddressCounts } from '../../platform/index.ts'
import { showView, type ViewOptions } from '../hatchery-view.ts'
import type { Io } from '../io.ts'

/** `aviary hatchery addresses` */
export function run(_args: readonly string[], options: ViewOptions, io: Io): Promise<void> {
  return showView<AddressCounts>(
    {
      name: 'addresses',
      none: 'No addresses are given out: the configuration has no iprange, guests use DHCP.',
      nameOf: ({ network }) => network,
      columns: [
        { heading: 'Network', cell: ({ network }) => network },
        { heading: 'Total', cell: ({ total }) => String(total) },
        { heading: 'Used', cell: ({ used }) => String(used) },
        { heading: 'Seen in guests', cell: ({ active }) => String(active) },
        { heading: 'Reserved', cell: ({ reserved }) => String(reserved) },
        { heading: 'Quarantined', cell: ({ quarantined }) => String(quarantined) },
        { heading: 'Free', cell: ({ free }) => String(free) },
      ],
    },
    options,
    io,
  )
}
