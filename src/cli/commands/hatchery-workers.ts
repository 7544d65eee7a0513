import { ageOf } from '../../kinds/index.ts'
import type { WorkerRow } from '../../hatchery/index.ts'
import { showView, type ViewOptions } from '../hatchery-view.ts'
import type { Io } from '../io.ts'
import { sizeText } from '../output/size-text.ts'

/** `aviary hatchery workers` */
export function run(_args: readonly string[], options: ViewOptions, io: Io): Promise<void> {
  return showView<WorkerRow>(
    {
      name: 'workers',
      none: 'There are no workers.',
      nameOf: ({ name }) => name,
      whenGone: row => ({ ...row, status: 'gone' }),
      columns: [
        { heading: 'Name', cell: ({ name }) => name },
        { heading: 'Status', cell: ({ status }) => status },
        { heading: 'Model', cell: ({ model }) => model },
        { heading: 'Flavor', cell: ({ flavor }) => flavor },
        { heading: 'Size', cell: ({ cpus, memoryMB }) => sizeText(cpus, memoryMB) },
        { heading: 'Address', cell: ({ address }) => address },
        { heading: 'Age', cell: ({ started }) => (started === '' ? '' : ageOf(started, io.clock.now())) },
        { heading: 'Power', wide: true, cell: ({ power }) => power },
        { heading: 'Job', wide: true, cell: ({ job }) => job },
      ],
    },
    options,
    io,
  )
}
