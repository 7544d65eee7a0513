import type { Clock, Log } from '../../ports/index.ts'
import { faultOf } from '../soap/soap-client.ts'
import type { PlatformTask } from '../../platform/index.ts'
import type { Session } from '../soap/session.ts'
import { copied, refOf, retrieve, retrieveOne, type ObjectUpdate, type Selection } from '../vim/property-collector.ts'
import { child } from '../xml/element.ts'
import { reference, type Ref } from '../xml/writer.ts'
import { timeOf } from './vm-record.ts'
import type { Watched } from './property-watch.ts'

/** What is watched of own tasks. Not the progress, which would be told a hundred times; result and error are read when there is one. */
const taskPaths: readonly string[] = ['info.state']

/** What a person wants to know of somebody's task. */
const listPaths: readonly string[] = ['info.state', 'info.progress', 'info.descriptionId', 'info.entityName', 'info.queueTime']

/** How long a task may go unmentioned before it is asked for by name. */
const silence = 5_000

/** How long to wait for a task that was asked to end. */
const patience = 15_000

/** What this program knows of a task that it started. */
export interface TaskPurpose {
  readonly operation: string
  readonly target: string
}

interface Known {
  state: PlatformTask['state']
  progress: number | undefined
  readonly since: number
  readonly purpose: TaskPurpose
  readonly waiting: Set<() => void>
}

/** The end of a task was not seen: vCenter no longer knows it. What it did must be looked up. */
export class TaskForgotten extends Error {}

/** How old the list of everybody's tasks may be. */
const listAge = 5_000

/**
 * The tasks that this program started, told by the watch: each is put on a list that the watch follows, several in one call when
 * they come together. What others run is read when somebody asks: to follow it would cost more than all else on a busy vCenter.
 */
export class TaskBook implements Watched {
  readonly #session: Session
  readonly #clock: Clock
  readonly #log: Log
  readonly #tasks = new Map<string, Known>()
  readonly #joining = new Set<string>()
  readonly #leaving = new Set<string>()
  #view: Ref | undefined
  #listing = false
  #foreign: { readonly at: number; readonly tasks: readonly PlatformTask[] } | undefined
  #reading: Promise<void> | undefined

  constructor(session: Session, clock: Clock, log: Log) {
    this.#session = session
    this.#clock = clock
    this.#log = log
  }

  async selection(signal: AbortSignal): Promise<Selection> {
    const { manager } = await this.#session.content(signal)
    this.#view = refOf(child(await this.#session.call('CreateListView', manager('viewManager'), {}, { signal }), 'returnval'))
    this.#leaving.clear()
    for (const [id, known] of this.#tasks) if (!hasEnded(known)) this.#joining.add(id)
    return { type: 'Task', paths: taskPaths, from: this.#view, through: 'view' }
  }

  begin(): void {}

  complete(): void {
    void this.#list()
  }

  update({ ref, kind, changes }: ObjectUpdate): void {
    const known = this.#tasks.get(ref.id)
    if (known === undefined || kind === 'leave') return
    known.state = stateOf(changes.get('info.state')?.text)
    if (hasEnded(known)) for (const tell of known.waiting) tell()
  }

  /** What is under way: own tasks as they are, those of others as they were when last read. */
  list(): readonly PlatformTask[] {
    void this.refresh()
    return [...this.#own(), ...(this.#foreign?.tasks ?? []).filter(({ id }) => !this.#tasks.has(id))]
  }

  /** Reads what others run, unless that is known well enough. */
  refresh(): Promise<void> {
    if (this.#foreign !== undefined && this.#clock.monotonic() - this.#foreign.at < listAge) return Promise.resolve()
    this.#reading ??= this.#readForeign()
      .catch((error: unknown) => this.#log.debug('the tasks of others could not be read', { error }))
      .finally(() => (this.#reading = undefined))
    return this.#reading
  }

  /** Whether this program follows the task. */
  isOwn(id: string): boolean {
    return this.#tasks.has(id)
  }

  /**
   * Resolves when the task has succeeded; rejects with `VimFault` when it failed and `TaskForgotten` when vCenter
   * no longer knows it. If `signal` is aborted the task is cancelled, and its end awaited for a while, before this rejects.
   */
  async end(task: Ref, purpose: TaskPurpose, signal: AbortSignal): Promise<void> {
    const since = this.#clock.now()
    const known: Known = { state: 'queued', progress: undefined, since, purpose, waiting: new Set() }
    this.#tasks.set(task.id, known)
    this.#joining.add(task.id)
    void this.#list()
    try {
      await this.#ended(task, known, signal)
    } catch (error) {
      if (signal.aborted) await this.#cancel(task, known)
      throw error
    } finally {
      this.#tasks.delete(task.id)
      if (!this.#joining.delete(task.id)) this.#leaving.add(task.id)
    }
    if (known.state === 'error') throw await this.#problem(task, purpose, signal)
  }

  /** What a task that has succeeded made. */
  async result(task: Ref, signal: AbortSignal): Promise<Ref | undefined> {
    const result = (await retrieveOne(this.#session, task, ['info.result'], signal))?.get('info.result')
    return result === undefined ? undefined : refOf(result)
  }

  async #problem(task: Ref, { operation }: TaskPurpose, signal: AbortSignal): Promise<Error> {
    const error = (await retrieveOne(this.#session, task, ['info.error'], signal))?.get('info.error')
    return error === undefined ? new TaskForgotten(`why task ${task.id} failed is not known any more`) : faultOf(operation, error)
  }

  /** Brings the list in vCenter up to date, one call at a time; those that end leave it with the next that joins. */
  async #list(): Promise<void> {
    if (this.#listing) return
    this.#listing = true
    try {
      while (this.#joining.size > 0 && this.#view !== undefined) {
        const [add, remove] = [taken(this.#joining), taken(this.#leaving)]
        await this.#session.call('ModifyListView', this.#view, { add: add.map(taskReference), remove: remove.map(taskReference) })
      }
    } catch (error) {
      // The watch makes a new list, or the task is asked for by name after a while.
      this.#log.debug('the list of tasks was not changed', { error })
    } finally {
      this.#listing = false
    }
  }

  async #ended(task: Ref, known: Known, signal: AbortSignal): Promise<void> {
    while (!hasEnded(known)) {
      if (await this.#mentioned(known, signal)) continue
      const properties = await retrieveOne(this.#session, task, taskPaths, signal)
      if (properties === undefined) throw new TaskForgotten(`task ${task.id} is gone`)
      this.update({ filter: '', ref: task, kind: 'modify', changes: properties })
    }
  }

  /** True when the watch told of the end; false when it has said nothing for a while. */
  #mentioned(known: Known, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = (then: () => void) => () => {
        known.waiting.delete(told)
        timer.cancel()
        signal.removeEventListener('abort', stop)
        then()
      }
      const told = leave(() => resolve(true))
      const stop = leave(() => reject(signal.reason))
      const timer = this.#clock.after(
        silence,
        leave(() => resolve(false)),
      )
      known.waiting.add(told)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  async #cancel(task: Ref, known: Known): Promise<void> {
    using limit = this.#clock.deadline(patience)
    try {
      await this.#session.call('CancelTask', task, {}, { signal: limit.signal })
      await this.#ended(task, known, limit.signal)
    } catch {
      // It could not be cancelled, or had ended.
    }
  }

  #own(): PlatformTask[] {
    return Array.from(this.#tasks, ([id, { state, progress, since, purpose }]) => ({
      id,
      ...purpose,
      state,
      progress,
      since,
      problem: undefined,
    }))
  }

  async #readForeign(): Promise<void> {
    const { manager } = await this.#session.content()
    const selection = { type: 'Task', paths: listPaths, from: manager('taskManager'), through: 'recentTask' }
    const found = await retrieve(this.#session, selection)
    const tasks: PlatformTask[] = found.map(({ ref, properties }) => ({
      id: ref.id,
      operation: copied(properties.get('info.descriptionId')?.text ?? 'unknown'),
      target: copied(properties.get('info.entityName')?.text ?? 'unknown'),
      state: stateOf(properties.get('info.state')?.text),
      progress: properties.has('info.progress') ? Number(properties.get('info.progress')?.text) : undefined,
      since: timeOf(properties.get('info.queueTime')?.text) ?? 0,
      problem: undefined,
    }))
    for (const { id, progress } of tasks) {
      const own = this.#tasks.get(id)
      if (own !== undefined) own.progress = progress
    }
    this.#foreign = { at: this.#clock.monotonic(), tasks: tasks.filter(({ state }) => state === 'queued' || state === 'running') }
  }
}

function taken(ids: Set<string>): string[] {
  const all = [...ids]
  ids.clear()
  return all
}

function taskReference(id: string) {
  return reference({ type: 'Task', id })
}

function stateOf(text: string | undefined): PlatformTask['state'] {
  return text === 'running' || text === 'success' || text === 'error' ? text : 'queued'
}

function hasEnded({ state }: Known): boolean {
  return state === 'success' || state === 'error'
}
