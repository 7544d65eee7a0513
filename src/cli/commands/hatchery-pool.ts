import type { PoolReport } from '../../hatchery/index.ts'
import { showView, type ViewOptions } from '../hatchery-view.ts'
import type { Io } from '../io.ts'

/** `aviary hatchery pool` */
export function run(_args: readonly string[], options: ViewOptions, io: Io): Promise<void> {
  return showView<PoolReport>(
    {
      name: 'pool',
      none: 'No VMs are to stand ready: the configuration has no workerProvisioning.',
      nameOf: ({ model }) => model,
      columns: [
        { heading: 'Model', cell: ({ model }) => model },
        { heading: 'Version', cell: ({ version }) => `V${version}` },
        { heading: 'Flavor', cell: ({ flavor }) => flavor ?? '' },
        { heading: 'Wanted', cell: ({ wanted }) => String(wanted) },
        { heading: 'Ready', cell: ({ ready }) => String(ready) },
        { heading: 'Starting', cell: ({ starting, inFlight }) => String(starting + inFlight) },
        { heading: 'Leaving', cell: ({ doomed }) => String(doomed) },
        { heading: 'Why not more', cell: ({ waits }) => waits?.message ?? '' },
      ],
    },
    options,
    io,
  )
}
