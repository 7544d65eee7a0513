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
      whenGone: row => ({ ...row, phase: 'gone', message: '' }),
      columns: [
        { heading: 'Job', cell: ({ job }) => job },
        { heading: 'Phase', cell: ({ phase }) => phase },
        { heading: 'Queued', cell: ({ queued }) => (queued === '' ? '' : ageOf(queued, io.clock.now())) },
        { heading: 'Why', cell: ({ message }) => message },
        { heading: 'Worker', wide: true, cell: ({ worker }) => worker },
        { heading: 'Title', wide: true, cell: ({ title }) => title },
        { heading: 'Attempts', wide: true, cell: ({ attempts }) => String(attempts) },
        { heading: 'Last error', wide: true, cell: ({ lastError }) => lastError },
      ],
    },
    options,
    io,
  )
}
