import { ageOf } from '../../kinds/index.ts'
import type { OperationRow } from '../../platform/index.ts'
import { showView, type ViewOptions } from '../hatchery-view.ts'
import type { Io } from '../io.ts'

/** `aviary hatchery operations` */
export function run(_args: readonly string[], options: ViewOptions, io: Io): Promise<void> {
  return showView<OperationRow>(
    {
      name: 'operations',
      none: 'Nothing is under way, and nothing is held back.',
      nameOf: ({ operation, vm }) => `${operation} ${vm}`,
      columns: [
        { heading: 'Place', cell: ({ position }) => (position === 0 ? '' : String(position)) },
        { heading: 'State', cell: ({ state }) => state },
        { heading: 'Operation', cell: ({ operation }) => operation },
        { heading: 'VM', cell: ({ vm }) => vm },
        { heading: 'Since', cell: ({ since }) => ageOf(since, io.clock.now()) },
        { heading: 'Why', cell: ({ message }) => message },
        { heading: 'Reason', wide: true, cell: ({ reason }) => reason },
        { heading: 'Host', wide: true, cell: ({ host }) => host },
        { heading: 'Weight', wide: true, cell: ({ weight }) => String(weight) },
        { heading: 'For', wide: true, cell: ({ owner }) => owner },
        { heading: 'Gives up', wide: true, cell: ({ until }) => until },
        { heading: 'Platform', wide: true, cell: ({ platform }) => platform },
      ],
    },
    options,
    io,
  )
}
