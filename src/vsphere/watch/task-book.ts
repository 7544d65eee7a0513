import type { Clock, Log } from '../../ports/index.ts'
import { faultOf } from '../soap/soap-client.ts'
import { isUnanswered } from '../soap/unanswered.ts'
import type { PlatformTask } from '../../platform/index.ts'
import type { Session } from '../soap/session.ts'
import { refOf, retrieve, retrieveOne, type ObjectUpdate, type Selection } from '../vim/property-collector.ts'
import { child } from '../xml/element.ts'
import { reference, type Ref } from '../xml/writer.ts'
import { timeOf } from '../vim/time.ts'
import type { Watched } from './property-watch.ts'

/** What is watched of own tasks. Not the progress, which would be told a hundred times; result and error are read when there is one. */
const taskPaths: readonly string[] = ['info.state']

/** What a person wants to know of somebody's task. */
const listPaths: readonly string[] = ['info.state', 'info.progress', 'info.descriptionId', 'info.entityName', 'info.queueTime']

/** How long to wait for a task's effect to show before the task itself is followed: most are done by then, and cost no call. */
const shortWhile = 2_000

/**
 * How long a task that the watch follows may go unmentioned before it is asked for by name: at first soon, in case the watch missed
 * it, then less and less often, because what takes long is most likely still under way.
 */
const silence = { first: 5_000, longest: 60_000 } as const

/** How often a task is looked at that is not followed. */
const glance = 1_000

/** How long to wait for a task that was asked to end. */
const patience = 15_000

/** What this program knows of a task that it started. */
export interface TaskPurpose {
  readonly operation: string
  readonly target: string
}

/** By what the effect of a task shows elsewhere. */
export interface Evidence {
  /** Tells when it shows, at once if it already does. Returns how to stop. */
  onShown(tell: () => void): () => void
  /** Whether the effect shows only when the task is done with it. If not, the task is asked as well. */
  readonly isProof: boolean
}

interface Known {
  state: PlatformTask['state']
  progress: number | undefined
  readonly since: number
  readonly purpose: TaskPurpose
  readonly waiting: Set<() => void>
  /** Whether the watch follows it. */
  listed: boolean
}

/** The end of a task was not seen: vCenter no longer knows it. What it did must be looked up. */
export class TaskForgotten extends Error {}

/** How old the list of everybody's tasks may be. */
const listAge = 5_000

/**
 * The tasks that this program started. Most are never asked for: what they were to do shows in the inventory. One that takes longer,
 * or whose effect does not show, is put on a list that the watch follows, several in one call when they come together. What others
 * run is read when somebody asks: to follow it would cost more than all else on a busy vCenter.
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
    for (const [id, known] of this.#tasks) if (known.listed && !hasEnded(known)) this.#joining.add(id)
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
   * Resolves when the task has succeeded, or its effect shows; rejects with `VimFault` when it failed and `TaskForgotten` when vCenter
   * no longer knows it. If `signal` is aborted the task is cancelled, and its end awaited for a while, before this rejects.
   */
  async end(task: Ref, purpose: TaskPurpose, signal: AbortSignal, evidence?: Evidence): Promise<void> {
    const since = this.#clock.now()
    const known: Known = { state: 'queued', progress: undefined, since, purpose, waiting: new Set(), listed: false }
    this.#tasks.set(task.id, known)
    try {
      if (evidence !== undefined && (await this.#shows(task, known, evidence, signal))) return
      await this.#ended(task, known, signal)
    } catch (error) {
      if (signal.aborted) await this.#cancel(task, known)
      throw error
    } finally {
      this.#tasks.delete(task.id)
      if (known.listed && !this.#joining.delete(task.id)) this.#leaving.add(task.id)
    }
    if (known.state === 'error') throw await this.#problem(task, purpose, signal)
  }

  /** Resolves when a task is over that may be anybody's, however it ended. It is not cancelled, whatever happens to `signal`. */
  async over(task: Ref, signal: AbortSignal): Promise<void> {
    for (;;) {
      const state = (await retrieveOne(this.#session, task, taskPaths, signal))?.get('info.state')?.text
      if (state !== 'queued' && state !== 'running') return
      await this.#clock.sleep(glance, signal)
    }
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

  /** Whether the effect of a task shows soon. */
  async #shows(task: Ref, known: Known, { onShown, isProof }: Evidence, signal: AbortSignal): Promise<boolean> {
    if (!(await this.#told(onShown, shortWhile, signal))) return false
    if (isProof) return true
    await this.#ask(task, signal)
    return known.state === 'success'
  }

  async #ended(task: Ref, known: Known, signal: AbortSignal): Promise<void> {
    if (hasEnded(known)) return
    known.listed = true
    this.#joining.add(task.id)
    void this.#list()
    const mentions = (tell: () => void) => {
      known.waiting.add(tell)
      return () => known.waiting.delete(tell)
    }
    for (let pause: number = silence.first; !hasEnded(known); pause = Math.min(2 * pause, silence.longest)) {
      if (!(await this.#told(mentions, pause, signal))) await this.#ask(task, signal)
    }
  }

  /** Brings what is known of a task up to date. If vCenter does not answer, that is not news of the task: it goes on. */
  async #ask(task: Ref, signal: AbortSignal): Promise<void> {
    const properties = await retrieveOne(this.#session, task, taskPaths, signal).catch((error: unknown) => {
      if (signal.aborted || this.#session.isClosed || !isUnanswered(error)) throw error
      this.#log.debug('vCenter did not say how far a task is', { task: task.id, error })
      return 'no answer' as const
    })
    if (properties === 'no answer') return
    if (properties === undefined) throw new TaskForgotten(`task ${task.id} is gone`)
    this.update({ filter: '', ref: task, kind: 'modify', changes: properties })
  }

  /** True when `listen` told; false when it has said nothing for so long. */
  #told(listen: (tell: () => void) => () => void, within: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = (then: () => void) => () => {
        forget()
        timer.cancel()
        signal.removeEventListener('abort', stop)
        then()
      }
      const stop = leave(() => reject(signal.reason))
      const timer = this.#clock.after(
        within,
        leave(() => resolve(false)),
      )
      signal.addEventListener('abort', stop, { once: true })
      let forget = () => {}
      forget = listen(leave(() => resolve(true)))
    })
  }

  async #cancel(task: Ref, known: Known): Promise<void> {
    using limit = this.#clock.deadline(patience)
    const { signal } = limit
    // Many tasks cannot be cancelled. They go on, and what they do is still ours to wait for.
    await this.#session.call('CancelTask', task, {}, { signal }).catch(() => {})
    await this.#ended(task, known, signal).catch(() => {})
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
      operation: properties.get('info.descriptionId')?.text ?? 'unknown',
      target: properties.get('info.entityName')?.text ?? 'unknown',
      state: stateOf(properties.get('info.state')?.text),
      progress: properties.has('info.progress') ? Number(properties.get('info.progress')?.text) : undefined,
      since: timeOf(properties.get('info.queueTime')?.text) ?? 0,
      problem: undefined,
    }))
    for (const { id, progress, state } of tasks) {
      const own = this.#tasks.get(id)
      if (own === undefined) continue
      own.progress = progress
      // Who waits is told by the watch alone, or by its evidence.
      if (state === 'running') own.state = state
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
