import { ageOf } from '../../kinds/index.ts'
import type { PlatformTask } from '../../platform/index.ts'
import { isoTime } from '../../ports/index.ts'
import { liveTasks } from '../../vsphere/index.ts'
import type { Io } from '../io.ts'
import type { LiveForm } from '../output/live-rows.ts'
import { showRows } from '../output/show-rows.ts'
import { atVcenter } from '../vcenter.ts'
import type { VcenterOptions } from '../vcenter.ts'

/** How often vCenter is asked while somebody watches: nothing tells of the tasks of others. */
const pause = 5_000

/** A task, or one that is no longer under way. */
type Shown = Omit<PlatformTask, 'state'> & { readonly state: PlatformTask['state'] | 'ended' }

interface TasksOptions extends VcenterOptions {
  readonly output: LiveForm<Shown>['output']
  readonly watch?: boolean
}

/** `aviary vsphere tasks`: what is under way, oldest first; with --watch a line for each that begins, gets on or ends. */
export async function run(_args: readonly string[], options: TasksOptions, io: Io): Promise<void> {
  const form = formOf(options, io)
  await atVcenter(options, io, async connection => {
    const tasks = await liveTasks(connection, io.signal)
    const showMore = showRows<Shown>(tasks, form, { watch: options.watch, none: `Nothing is under way on ${connection.name}.` }, io)
    if (showMore === undefined) return
    let before = tasks
    while (!io.signal.aborted) {
      await io.clock.sleep(pause, io.signal).catch(() => {})
      if (io.signal.aborted) return
      const now = await liveTasks(connection, io.signal)
      showMore(changes(before, now))
      before = now
    }
  })
}

/** Tasks that are new or got on, and those that are no longer there. */
function changes(before: readonly PlatformTask[], now: readonly PlatformTask[]): readonly Shown[] {
  const changed = now.filter(task => {
    const old = before.find(({ id }) => id === task.id)
    return old?.state !== task.state || old.progress !== task.progress
  })
  const ended = before.filter(({ id }) => !now.some(task => task.id === id))
  return [...ended.map(task => ({ ...task, state: 'ended' as const, progress: undefined })), ...changed]
}

function formOf({ output }: TasksOptions, { columns, clock }: Io): LiveForm<Shown> {
  return {
    output,
    width: columns,
    nameOf: ({ id }) => id,
    plain: ({ since, progress, problem, ...task }) => ({
      ...task,
      progress: progress ?? null,
      since: isoTime(since),
      ...(problem !== undefined && { problem }),
    }),
    columns: [
      { heading: 'Operation', cell: ({ operation }) => operation },
      { heading: 'Target', cell: ({ target }) => target },
      { heading: 'State', cell: ({ state }) => state },
      { heading: 'Progress', cell: ({ progress }) => (progress === undefined ? '' : `${progress} %`) },
      { heading: 'Age', cell: ({ since }) => ageOf(isoTime(since), clock.now()) },
      { heading: 'Id', wide: true, cell: ({ id }) => id },
    ],
  }
}
