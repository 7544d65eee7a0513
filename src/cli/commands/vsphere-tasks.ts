import { ageOf } from '../../kinds/index.ts'
import type { PlatformTask } from '../../platform/index.ts'
import { isoTime } from '../../ports/index.ts'
import { liveTasks } from '../../vsphere/index.ts'
import type { Io } from '../io.ts'
import type { LiveForm } from '../output/live-rows.ts'
import { showRows } from '../output/show-rows.ts'
import { atVcenters, namesOf } from '../vcenter.ts'
import type { OpenVcenter, VcenterOptions } from '../vcenter.ts'

/** How often vCenter is asked while somebody watches: nothing tells of the tasks of others. */
const pause = 5_000

/** A task, or one that is no longer under way. */
type Shown = Omit<PlatformTask, 'state'> & {
  readonly state: PlatformTask['state'] | 'ended'
  /** Where. */
  readonly vcenter: string
}

interface TasksOptions extends VcenterOptions {
  readonly output: LiveForm<Shown>['output']
  readonly watch?: boolean
}

/** `aviary vsphere tasks`: what is under way, oldest first; with --watch a line for each that begins, gets on or ends. */
export async function run(_args: readonly string[], options: TasksOptions, io: Io): Promise<number> {
  return await atVcenters(options, io, async (vcenters, { several }) => {
    const tasks = await tasksOf(vcenters, io)
    const form = formOf(options, io, several)
    const showMore = showRows(tasks, form, { watch: options.watch, none: `Nothing is under way on ${namesOf(vcenters)}.` }, io)
    if (showMore === undefined) return
    let before = tasks
    while (!io.signal.aborted) {
      await io.clock.sleep(pause, io.signal).catch(() => {})
      if (io.signal.aborted) return
      const now = await tasksOf(vcenters, io)
      showMore(changes(before, now))
      before = now
    }
  })
}

/** What is under way on all of them, oldest first. */
async function tasksOf(vcenters: readonly OpenVcenter[], { signal }: Io): Promise<readonly Shown[]> {
  const all = await Promise.all(
    vcenters.map(async ({ label, connection }) => (await liveTasks(connection, signal)).map(task => ({ ...task, vcenter: label }))),
  )
  return all.flat().toSorted((one, other) => one.since - other.since)
}

/** Tasks that are new or got on, and those that are no longer there. */
function changes(before: readonly Shown[], now: readonly Shown[]): readonly Shown[] {
  // Two vCenters may call different tasks the same.
  const isSame = (one: Shown, other: Shown) => one.id === other.id && one.vcenter === other.vcenter
  const changed = now.filter(task => {
    const old = before.find(each => isSame(each, task))
    return old?.state !== task.state || old.progress !== task.progress
  })
  const ended = before.filter(task => !now.some(each => isSame(each, task)))
  return [...ended.map(task => ({ ...task, state: 'ended' as const, progress: undefined })), ...changed]
}

/** `several`: whether it must be said on which vCenter each is. */
function formOf({ output }: TasksOptions, { columns, clock }: Io, several: boolean): LiveForm<Shown> {
  return {
    output,
    width: columns,
    nameOf: ({ id }) => id,
    plain: ({ since, progress, problem, vcenter, ...task }) => ({
      ...(several && { vcenter }),
      ...task,
      progress: progress ?? null,
      since: isoTime(since),
      ...(problem !== undefined && { problem }),
    }),
    columns: [
      ...(several ? [{ heading: 'vCenter', cell: ({ vcenter }: Shown) => vcenter }] : []),
      { heading: 'Operation', cell: ({ operation }) => operation },
      { heading: 'Target', cell: ({ target }) => target },
      { heading: 'State', cell: ({ state }) => state },
      { heading: 'Progress', cell: ({ progress }) => (progress === undefined ? '' : `${progress} %`) },
      { heading: 'Age', cell: ({ since }) => ageOf(isoTime(since), clock.now()) },
      { heading: 'Id', wide: true, cell: ({ id }) => id },
    ],
  }
}
