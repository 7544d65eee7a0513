import { ageOf } from '../../kinds/index.ts'
import type { JobRow } from '../../hatchery/index.ts'
import { showView, type ViewOptions } from '../hatchery-view.ts'
import type { Io } from '../io.ts'

/** `aviary hatchery jobs` */
export function run(_args: readonly string[], options: ViewOptions, io: Io): Promise<void> {
  return showView<JobRow>(
    {
      name: 'jobs',
      none: 'No jobs wait.',
      nameOf: ({ job }) => job,
      columns: [
        { heading: 'Job', cell: ({ job }) => job },
        { heading: 'Phase', cell: ({ phase }) => phase },
        { heading: 'Queued', cell: ({ queued }) => (queued === '' ? '' : ageOf(queued, io.clock.now())) },
        { heading: 'Worker', cell: ({ worker }) => worker },
        { heading: 'Why', cell: ({ message }) => message },
        { heading: 'Title', wide: true, cell: ({ title }) => title },
        { heading: 'Attempts', wide: true, cell: ({ attempts }) => String(attempts) },
        { heading: 'Last error', wide: true, cell: ({ lastError }) => lastError },
      ],
    },
    options,
    io,
  )
}
