import type { Chance, Clock, Log } from '../../ports/index.ts'
import type { JobSource } from '../cds/cds.ts'
import type { ConnectedCds } from '../cds/connect.ts'
import type { HatcherySettings } from '../settings.ts'
import { Feed, type Queue } from './feed.ts'
import type { Job } from './job.ts'

/** What a source of jobs needs. */
export interface JobSourceOptions {
  readonly cds: Pick<ConnectedCds, 'v1' | 'v2'>
  readonly settings: Pick<HatcherySettings, 'provision'>
  /** Whether somebody has a job in hand already: it waits to be looked at, or a worker is being started for it. */
  readonly isPending: (jobId: string) => boolean
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** Told of every event of a web socket, for the metrics. */
  readonly onEvent?: (version: 1 | 2) => void
}

/** Where waiting jobs are heard of, from both sides of CDS. */
export function jobSource(options: JobSourceOptions): JobSource {
  const { cds, settings } = options
  const stopping = new AbortController()
  let feeds: readonly { readonly name: string; readonly feed: Feed }[] = []
  let running: Promise<unknown> = Promise.resolve()
  return {
    start(onJobs) {
      if (feeds.length > 0 || stopping.signal.aborted) throw new Error('a source of jobs is started once')
      feeds = [
        ...feedOf('queuePolling', cds.v1, 1, options, onJobs),
        ...feedOf('V2QueuePolling', settings.provision.pollV2Queue ? cds.v2 : undefined, 2, options, onJobs),
      ]
      running = Promise.all(feeds.map(({ feed }) => feed.run(stopping.signal)))
    },
    async stop() {
      stopping.abort(new Error('the source of jobs is stopped'))
      await running
    },
    get health() {
      return new Map(feeds.map(({ name, feed }) => [name, feed.isAlive]))
    },
  }
}

function feedOf(
  name: string,
  queue: Queue | undefined,
  version: 1 | 2,
  options: JobSourceOptions,
  onJobs: (jobs: readonly Job[]) => void,
): readonly { readonly name: string; readonly feed: Feed }[] {
  if (queue === undefined) return []
  const { isPending, clock, chance, log, settings } = options
  const most = 2 * Math.max(1, settings.provision.maxConcurrentProvisioning)
  const onEvent = () => options.onEvent?.(version)
  return [{ name, feed: new Feed({ name, queue, most, isPending, onJobs, onEvent, clock, chance, log }) }]
}
